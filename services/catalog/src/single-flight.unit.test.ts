import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { singleFlight } from '#/single-flight.ts'

beforeAll(() => vi.useFakeTimers({ toFake: ['performance'] }))
afterAll(() => vi.useRealTimers())

/** Returns the number of each load. */
function counter() {
  let loads = 0
  return { load: async () => ++loads, count: () => loads }
}

test('caches a value for its time to live, null included', async () => {
  const cached = singleFlight<number | null>({ ttlMs: 30, max: 10 })
  let loads = 0
  const load = async () => (loads++, null)
  await cached('a', load)
  await cached('a', load)
  expect(loads).toBe(1)
  vi.advanceTimersByTime(31)
  await cached('a', load)
  expect(loads).toBe(2)
})

test('100 concurrent requests share one load', async () => {
  const cached = singleFlight<number>({ ttlMs: 0, max: 10 })
  const { load, count } = counter()
  expect(await Promise.all(Array.from({ length: 100 }, () => cached('a', load)))).toEqual(Array(100).fill(1))
  expect(count()).toBe(1)
  expect(await cached('a', load), 'without a time to live the next request loads again').toBe(2)
})

test('a load that takes longer than the time to live is shared', async () => {
  const cached = singleFlight<number>({ ttlMs: 5, max: 10 })
  const { load, count } = counter()
  const over = Promise.withResolvers<void>()
  const slow = async () => (await over.promise, load())
  const first = cached('a', slow)
  vi.advanceTimersByTime(15)
  const second = cached('a', slow)
  over.resolve()
  expect(await Promise.all([first, second])).toEqual([1, 1])
  expect(count()).toBe(1)
})

const failing = async () => {
  throw new Error('unavailable')
}

test('a failure rejects all waiting requests and is not cached', async () => {
  const cached = singleFlight<string>({ ttlMs: 1_000, max: 10 })
  const both = await Promise.allSettled([cached('a', failing), cached('a', failing)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await cached('a', async () => 'back')).toBe('back')
})

test('evicts the oldest key above the limit', async () => {
  const cached = singleFlight<number>({ ttlMs: 10_000, max: 2 })
  const { load, count } = counter()
  for (const key of ['a', 'b', 'c', 'c', 'b']) await cached(key, load)
  expect(count()).toBe(3)
  await cached('a', load)
  expect(count()).toBe(4)
})
