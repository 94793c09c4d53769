import { expect, test } from 'vitest'
import { ADAPT_EVERY_MS, AdaptiveLimit } from './adaptive-limit.ts'

const aLimit = () => new AdaptiveLimit({ first: 96, least: 32, most: 2_000 })

type Load = Record<'rate' | 'seconds' | 'ownMs' | 'outsideMs' | 'most' | 'hopMs', number>

/**
 * A service behind the limit, in virtual time: a request waits for the CPU, which it has for `ownMs`, then for something outside for
 * `outsideMs`. When `most` requests wait for the CPU or have it, the service rejects the next one, which the gateway learns after
 * `hopMs`. Returns what became of the requests after the first 5 s.
 */
function simulate(limit: AdaptiveLimit, { rate, seconds, ownMs, outsideMs, most, hopMs }: Load) {
  const agenda = new Map<number, (() => void)[]>()
  const later = (at: number, work: () => void) => void agenda.set(at, [...(agenda.get(at) ?? []), work])
  const counts = { served: 0, rejected: 0, refused: 0 }
  let isCounted = false
  const count = (what: keyof typeof counts) => void (counts[what] += isCounted ? 1 : 0)
  let inService = 0
  let cpuFreeAt = 0
  const arrive = (now: number) => {
    if (!limit.isAvailable()) return count('refused')
    const permit = limit.acquire()
    if (inService >= most) {
      count('rejected')
      later(now + hopMs, () => {
        permit.release()
        limit.rejected()
      })
      return
    }
    inService++
    cpuFreeAt = Math.max(cpuFreeAt, now) + ownMs
    const done = Math.ceil(cpuFreeAt)
    later(done, () => void inService--)
    later(done + outsideMs + hopMs, () => {
      permit.release()
      count('served')
    })
  }
  for (let now = 0, due = 0; now < seconds * 1_000; now++) {
    isCounted = now >= 5_000
    for (const work of agenda.get(now) ?? []) work()
    agenda.delete(now)
    if (now % ADAPT_EVERY_MS === 0) limit.adapt()
    for (due += rate / 1_000; due >= 1; due--) arrive(now)
  }
  return { ...counts, limit: limit.limit }
}

test('grows by 5 each 100 ms while requests find no permit, and not without them', () => {
  const limit = aLimit()
  for (let tick = 0; tick < 3; tick++) limit.adapt()
  expect(limit.limit).toBe(96)
  while (limit.isAvailable()) limit.acquire()
  limit.adapt()
  expect(limit.limit).toBe(101)
})

test('shrinks by a tenth as soon as the service rejects requests, once for all that it rejects within 100 ms', () => {
  const limit = aLimit()
  while (limit.isAvailable()) limit.acquire()
  for (let times = 0; times < 40; times++) limit.rejected()
  expect(limit.limit).toBe(86)
  limit.adapt()
  expect(limit.limit).toBe(86)
  limit.rejected()
  expect(limit.limit).toBe(77)
})

test('shrinks from what is in use when that is less: a limit that nobody used says nothing', () => {
  const limit = new AdaptiveLimit({ first: 1_000, least: 32, most: 2_000 })
  for (let count = 0; count < 100; count++) limit.acquire()
  limit.rejected()
  expect(limit.limit).toBe(90)
})

test('stays between its bounds', () => {
  const limit = aLimit()
  limit.rejected()
  expect(limit.limit).toBe(32)
  for (let times = 0; times < 1_000; times++) {
    while (limit.isAvailable()) limit.acquire()
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
    })
    expect(served).toBeGreaterThan(0.97 * 15 * (1_000 / 3))
    expect(rejected / (rejected + refused)).toBeLessThan(0.01)
  },
)
