import { generatorOf } from '../../dev/processor/src/random.ts'

export type Random = ReturnType<typeof randomOf>

/** Returns a pseudorandom generator. Equal seeds repeat a run. */
export function randomOf(seed: number) {
  /** Returns a number from 0 up to 1, without 1. */
  const next = generatorOf(seed)
  /** Returns an integer of the range, both ends included. */
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    pick<T>(from: readonly T[]): T {
      const chosen = from[between(0, from.length - 1)]
      if (chosen === undefined) throw new RangeError('the list to pick from is empty')
      return chosen
    },
    /** Returns the same elements in another order. */
    shuffled: <T>(from: readonly T[]): T[] =>
      from
        .map((one) => ({ one, place: next() }))
        .toSorted((first, second) => first.place - second.place)
        .map(({ one }) => one),
  }
}
