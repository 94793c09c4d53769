import { generatorOf } from '../../dev/processor/src/random.ts'

/** A pseudorandom generator with a seed that repeats a run. */
export type Random = {
  /** A number from 0 up to 1, without 1. */
  next(): number
  /** An integer of the range, both ends included. */
  between(low: number, high: number): number
  pick<T>(from: readonly T[]): T
  /** Returns the same elements in another order. */
  shuffled<T>(from: readonly T[]): T[]
}

export function randomOf(seed: number): Random {
  const next = generatorOf(seed)
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    pick: (from) => {
      const chosen = from[between(0, from.length - 1)]
      if (chosen === undefined) throw new RangeError('the list to pick from is empty')
      return chosen
    },
    shuffled: (from) =>
      from
        .map((one) => ({ one, place: next() }))
        .toSorted((first, second) => first.place - second.place)
        .map(({ one }) => one),
  }
}
