import { expect, test } from 'vitest'
import { ADAPT_EVERY_MS, AdaptiveLimit } from '#/limits/adaptive-limit.ts'
import type { Permit } from '#/limits/concurrency-limit.ts'

const aLimit = () => new AdaptiveLimit({ first: 96, least: 32, most: 2_000 })

type Load = Record<'rate' | 'seconds' | 'ownMs' | 'outsideMs' | 'most' | 'hopMs' | 'lateMs', number>

/**
 * Simulates a service behind the limit, in virtual time. A request waits for the CPU, uses it for `ownMs`, and then waits for
 * another system for `outsideMs`. The service rejects a request while `most` requests wait for the CPU or use it. The rejection
 * reaches the gateway after `hopMs`. A response that took longer than `lateMs` is marked. Returns the counts of the requests
 * after the first 5 s.
 */
function simulate(limit: AdaptiveLimit, { rate, seconds, ownMs, outsideMs, most, hopMs, lateMs }: Load) {
  const agenda = new Map<number, (() => void)[]>()
  const schedule = (at: number, work: () => void) => void agenda.set(at, [...(agenda.get(at) ?? []), work])
  const counts = { served: 0, rejected: 0, refused: 0 }
  let longestMs = 0
  let isCounted = false
  const count = (outcome: keyof typeof counts) => void (counts[outcome] += isCounted ? 1 : 0)
  let inService = 0
  let cpuFreeAt = 0
  const arrive = (now: number) => {
    if (!limit.isAvailable()) return count('refused')
    const permit = limit.acquire()
    if (inService >= most) {
      count('rejected')
      schedule(now + hopMs, () => permit.recordResponse(true))
      return
    }
    inService++
    cpuFreeAt = Math.max(cpuFreeAt, now) + ownMs
    const done = Math.ceil(cpuFreeAt)
    schedule(done, () => void inService--)
    schedule(done + outsideMs + hopMs, () => {
      permit.recordResponse(done - now > lateMs)
      count('served')
      if (isCounted) longestMs = Math.max(longestMs, done - now)
    })
  }
  for (let now = 0, due = 0; now < seconds * 1_000; now++) {
    isCounted = now >= 5_000
    for (const work of agenda.get(now) ?? []) work()
    agenda.delete(now)
    if (now % ADAPT_EVERY_MS === 0) limit.adapt()
    for (due += rate / 1_000; due >= 1; due--) arrive(now)
  }
  return { ...counts, longestMs }
}

/** Acquires all permits that are available. */
function exhaust(limit: AdaptiveLimit): Permit[] {
  const permits: Permit[] = []
  while (limit.isAvailable()) permits.push(limit.acquire())
  return permits
}

test('grows by 5 each 100 ms while the permits are exhausted, and not otherwise', () => {
  const limit = aLimit()
  for (let tick = 0; tick < 3; tick++) limit.adapt()
  expect(limit.permits).toBe(96)
  exhaust(limit)
  limit.adapt()
  expect(limit.permits).toBe(101)
  limit.adapt()
  expect(limit.permits, 'five permits are free').toBe(101)
})

test('shrinks by a tenth at an overload, once for all requests from before the decrease', () => {
  const limit = aLimit()
  const permits = exhaust(limit)
  const [late, ...first] = permits.splice(0, 40)
  for (const permit of first) permit.recordResponse(true)
  expect(limit.permits).toBe(86)
  limit.adapt()
  late?.recordResponse(true)
  expect(limit.permits).toBe(86)
  exhaust(limit).at(-1)?.recordResponse(true)
  expect(limit.permits).toBe(77)
})

test('shrinks to 90 % of the permits in use when they are fewer than the limit', () => {
  const limit = new AdaptiveLimit({ first: 1_000, least: 32, most: 2_000 })
  const [permit] = Array.from({ length: 100 }, () => limit.acquire())
  permit?.recordResponse(true)
  expect(limit.permits).toBe(90)
})

test('grows after a decrease no faster than good responses arrive', () => {
  const limit = aLimit()
  const [overloaded, good, ...others] = exhaust(limit)
  overloaded?.recordResponse(true)
  good?.recordResponse(false)
  expect(limit.isAvailable()).toBe(false)
  limit.adapt()
  expect(limit.permits).toBe(86)
  for (const permit of others.splice(0, 20)) permit.release()
  for (const permit of exhaust(limit).slice(0, 2)) permit.recordResponse(false)
  exhaust(limit)
  limit.adapt()
  expect(limit.permits).toBe(88)
})

test('stays between its bounds', () => {
  const limit = aLimit()
  limit.acquire().recordResponse(true)
  expect(limit.permits).toBe(32)
  for (let times = 0; times < 1_000; times++) {
    for (const permit of exhaust(limit).slice(0, 10)) permit.recordResponse(false)
    exhaust(limit)
    limit.adapt()
  }
  expect(limit.permits).toBe(2_000)
})

test('one application has at most two thirds of the permits while the limit grows', () => {
  const limit = aLimit()
  for (let times = 0; times < 50; times++) {
    while (limit.isAvailable('noisy')) limit.acquire('noisy')
    expect(limit.inUse).toBeLessThanOrEqual(Math.ceil((2 / 3) * limit.permits))
    limit.adapt()
  }
  expect(limit.permits).toBeGreaterThan(96)
  expect(limit.isAvailable('quiet')).toBe(true)
})

test('serves over 99 % of 200 orders a second after 5 s when each waits 1 s for a processor', () => {
  const { refused, rejected, served } = simulate(aLimit(), {
    rate: 200,
    seconds: 20,
    ownMs: 3,
    outsideMs: 1_000,
    most: 96,
    hopMs: 5,
    lateMs: 500,
  })
  expect(rejected).toBe(0)
  expect(refused).toBeLessThan(0.001 * 15 * 200)
  expect(served).toBeGreaterThan(0.99 * 15 * 200)
})

test.each([0, 1_000])(
  'at tenfold load with %i ms outside, uses 0.97 of its capacity and rejects 0.99 of the excess early',
  (outsideMs) => {
    const { refused, rejected, served } = simulate(aLimit(), {
      rate: 3_300,
      seconds: 20,
      ownMs: 3,
      outsideMs,
      most: 96,
      hopMs: 5,
      lateMs: 500,
    })
    expect(served).toBeGreaterThan(0.97 * 15 * (1_000 / 3))
    expect(rejected / (rejected + refused)).toBeLessThan(0.01)
  },
)

test.each([
  { outsideMs: 0, mostMs: 1_500 },
  { outsideMs: 1_000, mostMs: 2_500 },
])(
  'with a capacity of 25 a second no request waits $mostMs ms for the CPU ($outsideMs ms outside)',
  ({ outsideMs, mostMs }) => {
    const { served, longestMs } = simulate(aLimit(), {
      rate: 50,
      seconds: 40,
      ownMs: 40,
      outsideMs,
      most: 96,
      hopMs: 5,
      lateMs: 500,
    })
    expect(served).toBeGreaterThan(0.9 * 35 * 25)
    expect(longestMs).toBeLessThan(mostMs)
  },
)
