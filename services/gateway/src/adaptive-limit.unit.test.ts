import { expect, test } from 'vitest'
import { ADAPT_EVERY_MS, AdaptiveLimit } from '#/adaptive-limit.ts'

const aLimit = () => new AdaptiveLimit({ first: 96, least: 32, most: 2_000 })

type Load = Record<'rate' | 'seconds' | 'ownMs' | 'outsideMs' | 'most' | 'hopMs' | 'lateMs', number>

/**
 * A service behind the limit, in virtual time: a request waits for the CPU, which it has for `ownMs`, then for something outside for
 * `outsideMs`. When `most` requests wait for the CPU or have it, the service rejects the next one, which the gateway learns after
 * `hopMs`. It marks the answer of a request that it took longer than `lateMs` for. Returns what became of the requests after the first 5 s.
 */
function simulate(limit: AdaptiveLimit, { rate, seconds, ownMs, outsideMs, most, hopMs, lateMs }: Load) {
  const agenda = new Map<number, (() => void)[]>()
  const later = (at: number, work: () => void) => void agenda.set(at, [...(agenda.get(at) ?? []), work])
  const counts = { served: 0, rejected: 0, refused: 0 }
  let longestMs = 0
  let isCounted = false
  const count = (what: keyof typeof counts) => void (counts[what] += isCounted ? 1 : 0)
  let inService = 0
  let cpuFreeAt = 0
  const arrive = (now: number) => {
    if (!limit.isAvailable()) return count('refused')
    const permit = limit.acquire()
    const { decreases } = limit
    if (inService >= most) {
      count('rejected')
      later(now + hopMs, () => {
        limit.answered(decreases, true)
        permit.release()
      })
      return
    }
    inService++
    cpuFreeAt = Math.max(cpuFreeAt, now) + ownMs
    const done = Math.ceil(cpuFreeAt)
    later(done, () => void inService--)
    later(done + outsideMs + hopMs, () => {
      limit.answered(decreases, done - now > lateMs)
      permit.release()
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

test('grows by 5 each 100 ms while requests find no permit, and not without them', () => {
  const limit = aLimit()
  for (let tick = 0; tick < 3; tick++) limit.adapt()
  expect(limit.limit).toBe(96)
  while (limit.isAvailable()) limit.acquire()
  limit.adapt()
  expect(limit.limit).toBe(101)
})

test('shrinks by a tenth as soon as the service is overloaded, once for all requests that were sent before that', () => {
  const limit = aLimit()
  while (limit.isAvailable()) limit.acquire()
  const sent = limit.decreases
  for (let times = 0; times < 40; times++) limit.answered(sent, true)
  expect(limit.limit).toBe(86)
  limit.adapt()
  limit.answered(sent, true)
  expect(limit.limit).toBe(86)
  limit.answered(limit.decreases, true)
  expect(limit.limit).toBe(77)
})

test('shrinks from what is in use when that is less: a limit that nobody used says nothing', () => {
  const limit = new AdaptiveLimit({ first: 1_000, least: 32, most: 2_000 })
  for (let count = 0; count < 100; count++) limit.acquire()
  limit.answered(limit.decreases, true)
  expect(limit.limit).toBe(90)
})

test('grows after a decrease no faster than good answers come', () => {
  const limit = aLimit()
  while (limit.isAvailable()) limit.acquire()
  const sent = limit.decreases
  limit.answered(sent, true)
  limit.answered(sent, false)
  expect(limit.isAvailable()).toBe(false)
  limit.adapt()
  expect(limit.limit).toBe(86)
  for (let answer = 0; answer < 2; answer++) limit.answered(limit.decreases, false)
  expect(limit.isAvailable()).toBe(false)
  limit.adapt()
  expect(limit.limit).toBe(88)
})

test('stays between its bounds', () => {
  const limit = aLimit()
  limit.answered(limit.decreases, true)
  expect(limit.limit).toBe(32)
  for (let times = 0; times < 1_000; times++) {
    while (limit.isAvailable()) limit.acquire()
    for (let answer = 0; answer < 10; answer++) limit.answered(limit.decreases, false)
    limit.adapt()
  }
  expect(limit.limit).toBe(2_000)
})

test('an application gets no more than two thirds of the permits while the limit grows', () => {
  const limit = aLimit()
  for (let times = 0; times < 50; times++) {
    while (limit.isAvailable('noisy')) limit.acquire('noisy')
    limit.adapt()
  }
  expect(limit.isAvailable('quiet')).toBe(true)
})

test('all of 200 orders a second are served after 5 s when each waits for a processor for 1 s', () => {
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
  'ten times too much ends in early refusals, with %i ms outside: the service works all the time and rejects less than 1 in 100',
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
  'on a machine that does 25 a second no request waits longer than $mostMs ms for the CPU, with $outsideMs ms outside',
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
