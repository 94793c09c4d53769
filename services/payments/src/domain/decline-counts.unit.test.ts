import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DeclineCounts } from '#/domain/decline-counts.ts'

const WINDOW_MS = 60_000

test('a key is exhausted from its last allowed decline until its window ends', () => {
  const counts = new DeclineCounts(WINDOW_MS)
  counts.add('card', 1_000, 1_000)
  expect(counts.exhaustedForMs('card', 2, 1_000)).toBeNull()
  counts.add('card', 11_000, 11_000)
  expect(counts.exhaustedForMs('card', 2, 11_000)).toBe(50_000)
  expect(counts.exhaustedForMs('card', 2, 60_999)).toBe(1)
  expect(counts.exhaustedForMs('card', 2, 61_000)).toBeNull()
  expect(counts.exhaustedForMs('another card', 1, 11_000)).toBeNull()
})

test('a decline that arrives after the end of its window is not counted', () => {
  const counts = new DeclineCounts(WINDOW_MS)
  counts.add('card', 0, WINDOW_MS)
  expect(counts.exhaustedForMs('card', 1, WINDOW_MS)).toBeNull()
  expect(counts.size).toBe(0)
})

const decline = fc.record({ key: fc.constantFrom('a', 'b', 'c'), afterMs: fc.nat(40_000) })

test('a key that is refused while exhausted has fewer declines than twice its limit in any window', () => {
  fc.assert(
    fc.property(fc.array(decline, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), (attempts, limit) => {
      const counts = new DeclineCounts(WINDOW_MS)
      const declined: { key: string; at: number }[] = []
      const waits: number[] = []
      let now = 0
      for (const { key, afterMs } of attempts) {
        now += afterMs
        const exhaustedForMs = counts.exhaustedForMs(key, limit, now)
        // A window begins with a decline, so an interval of its length overlaps two windows, but not both completely.
        const recent = declined.filter((one) => one.key === key && one.at + WINDOW_MS > now)
        expect(recent.length).toBeLessThan(2 * limit)
        if (exhaustedForMs !== null) waits.push(exhaustedForMs)
        else {
          counts.add(key, now, now)
          declined.push({ key, at: now })
        }
      }
      expect(waits.filter((ms) => ms <= 0 || ms > WINDOW_MS)).toEqual([])
    }),
  )
})

test('keys of ended windows are deleted, also when the clocks of replicas differ', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000), { minLength: 1, maxLength: 50 }), (times) => {
      const counts = new DeclineCounts(WINDOW_MS)
      for (const [at, time] of times.entries()) counts.add(`card ${at}`, time, time)
      counts.add('last', 80_000, 80_000)
      expect(counts.size).toBe(1)
    }),
  )
})
