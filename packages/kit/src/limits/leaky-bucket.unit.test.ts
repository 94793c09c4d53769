import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LeakyBucket } from '#/limits/leaky-bucket.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const aRate = (requests: number) => new LeakyBucket({ name: 'orders', what: 'orders', requests, seconds: 1 })

const takenAtOnce = (rate: LeakyBucket, applicationId: string) => {
  for (let count = 0; ; count += 1) if (!rate.take(applicationId).isAllowed) return count
}

test('the remaining requests stay below a limit of a million requests a second', () => {
  vi.useRealTimers()
  const rate = aRate(1_000_000)
  for (const _ of [1, 2, 3]) expect(rate.take('one').remaining).toBeLessThan(1_000_000)
})

test('admits the requests of a second at once, then one at a time', () => {
  const rate = aRate(10)
  expect(rate.take('one')).toEqual({ isAllowed: true, remaining: 9, seconds: 1 })
  expect(takenAtOnce(rate, 'one')).toBe(9)
  vi.advanceTimersByTime(99)
  expect(rate.take('one')).toEqual({ isAllowed: false, remaining: 0, seconds: 1 })
  vi.advanceTimersByTime(1)
  expect(takenAtOnce(rate, 'one')).toBe(1)
})

test('admits as many requests at once as the policy announces, at any rate and time', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      (perSecond, now) => {
        vi.spyOn(performance, 'now').mockReturnValue(now)
        expect(takenAtOnce(aRate(perSecond), 'one')).toBe(perSecond)
      },
    ),
  )
  vi.restoreAllMocks()
})

test('unused capacity accumulates for at most one second', () => {
  const rate = aRate(10)
  takenAtOnce(rate, 'one')
  vi.advanceTimersByTime(60_000)
  expect(takenAtOnce(rate, 'one')).toBe(10)
})

test('the requests of one application do not reduce the limit of another', () => {
  const rate = aRate(10)
  takenAtOnce(rate, 'noisy')
  expect(rate.take('noisy')).toMatchObject({ isAllowed: false })
  expect(takenAtOnce(rate, 'quiet')).toBe(10)
})

test('admits at most the requests of one second above an even rate, in any period', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), pauses, (perSecond, waits) => {
      const rate = aRate(perSecond)
      const began = performance.now()
      let taken = 0
      for (const ms of waits) {
        vi.advanceTimersByTime(ms)
        if (rate.take('one').isAllowed) taken += 1
        expect(taken).toBeLessThanOrEqual(((performance.now() - began) / 1_000 + 1) * perSecond + 1e-6)
      }
    }),
  )
})
