/** A seeded pseudorandom generator (mulberry32), so that a seed repeats a run. */
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
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
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
