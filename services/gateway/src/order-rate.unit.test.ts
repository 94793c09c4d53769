import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { OrderRate } from '#/order-rate.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const takenAtOnce = (rate: OrderRate, applicationId: string) => {
  for (let count = 0; ; count += 1) if (!rate.take(applicationId).allowed) return count
}

test('what is left is never more than may be sent, however fine the clock', () => {
  vi.useRealTimers()
  const rate = new OrderRate(1_000_000)
  for (const _ of [1, 2, 3]) expect(rate.take('one').remaining).toBeLessThan(1_000_000)
})

test('so many at one moment as come in a second, then one at a time', () => {
  const rate = new OrderRate(10)
  expect(rate.take('one')).toEqual({ allowed: true, remaining: 9, seconds: 1 })
  expect(takenAtOnce(rate, 'one')).toBe(9)
  vi.advanceTimersByTime(99)
  expect(rate.take('one')).toEqual({ allowed: false, remaining: 0, seconds: 1 })
  vi.advanceTimersByTime(1)
  expect(takenAtOnce(rate, 'one')).toBe(1)
})

test('at one moment as many as are announced, whatever the rate and the clock', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      (perSecond, now) => {
        vi.spyOn(performance, 'now').mockReturnValue(now)
        expect(takenAtOnce(new OrderRate(perSecond), 'one')).toBe(perSecond)
      },
    ),
  )
  vi.restoreAllMocks()
})

test('what is not used is kept for a second and no longer', () => {
  const rate = new OrderRate(10)
  takenAtOnce(rate, 'one')
  vi.advanceTimersByTime(60_000)
  expect(takenAtOnce(rate, 'one')).toBe(10)
})

test('one application takes nothing from another', () => {
  const rate = new OrderRate(10)
  takenAtOnce(rate, 'noisy')
  expect(rate.usedUp('noisy')).toMatchObject({ allowed: false })
  expect(rate.usedUp('quiet')).toBeNull()
  expect(takenAtOnce(rate, 'quiet')).toBe(10)
})

test('whether anybody is held off is known for a second after the last refusal', () => {
  const rate = new OrderRate(10)
  expect(rate.isAnyUsedUp).toBe(false)
  takenAtOnce(rate, 'noisy')
  vi.advanceTimersByTime(999)
  expect(rate.isAnyUsedUp).toBe(true)
  vi.advanceTimersByTime(1)
  expect(rate.isAnyUsedUp).toBe(false)
})

test('in no second are there more than twice as many, and in no longer time more than come evenly and one second before', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), pauses, (perSecond, waits) => {
      const rate = new OrderRate(perSecond)
      const began = performance.now()
      let taken = 0
      for (const ms of waits) {
        vi.advanceTimersByTime(ms)
        if (rate.take('one').allowed) taken += 1
        expect(taken).toBeLessThanOrEqual(((performance.now() - began) / 1_000 + 1) * perSecond + 1e-6)
      }
    }),
  )
})
