import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Cache } from '#/cache/cache.ts'

let loads: number

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  loads = 0
})
afterEach(() => void vi.useRealTimers())

const load = async () => ++loads
const fail = async () => Promise.reject(new Error('unavailable'))
const sizeOf = (value: string) => value.length
const aCache = (ttlMs = 30) => new Cache<number | null>({ maxEntries: 10, ttlMs })

test('a loaded value, also null, is cached for its time to live', async () => {
  const cache = aCache()
  const loadNull = async () => (loads++, null)
  expect(await cache.load('a', loadNull)).toBeNull()
  vi.advanceTimersByTime(29)
  expect(await cache.load('a', loadNull)).toBeNull()
  expect(loads).toBe(1)
  vi.advanceTimersByTime(2)
  await cache.load('a', loadNull)
  expect(loads).toBe(2)
})

test('concurrent requests of a key share one load, and an undefined result is not cached', async () => {
  const cache = aCache()
  const nothing = async () => (loads++, undefined)
  const all = Array.from({ length: 100 }, () => cache.load('a', nothing))
  expect(new Set(await Promise.all(all))).toEqual(new Set([undefined]))
  expect(loads).toBe(1)
  await cache.load('a', nothing)
  expect(loads).toBe(2)
})

test('requests share a load that takes longer than the time to live, and its value expires', async () => {
  const cache = aCache(5)
  const release = Promise.withResolvers<void>()
  const slow = async () => (await release.promise, load())
  const first = cache.load('a', slow)
  vi.advanceTimersByTime(15)
  const second = cache.load('a', slow)
  release.resolve()
  expect(await Promise.all([first, second])).toEqual([1, 1])
  vi.advanceTimersByTime(2)
  expect(await cache.load('a', load)).toBe(2)
})

test('the time to live of a value begins with its load', async () => {
  const cache = aCache(30)
  const release = Promise.withResolvers<void>()
  const loading = cache.load('a', async () => (await release.promise, load()))
  vi.advanceTimersByTime(20)
  release.resolve()
  await loading
  vi.advanceTimersByTime(9)
  expect(cache.get('a')).toBe(1)
  vi.advanceTimersByTime(2)
  expect(cache.get('a')).toBeUndefined()
})

test('a load may revalidate the expired value', async () => {
  const cache = aCache()
  await cache.load('a', load)
  vi.advanceTimersByTime(31)
  expect(await cache.load('a', async (expired) => expired)).toBe(1)
  expect(cache.get('a')).toBe(1)
})

test('a failed load rejects each waiting request, and is not cached', async () => {
  const cache = aCache()
  const both = await Promise.allSettled([cache.load('a', fail), cache.load('a', fail)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await cache.load('a', load)).toBe(1)
})

test('a full cache evicts the least recently used entry', () => {
  const cache = new Cache<string>({ maxEntries: 2 })
  cache.set('a', 'A')
  cache.set('b', 'B')
  cache.get('a')
  cache.set('c', 'C')
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual(['A', undefined, 'C'])
})

test('evicts entries above maxBytes, and does not cache a value above maxValueBytes', () => {
  const cache = new Cache<string>({ maxBytes: 10, maxValueBytes: 6, sizeOf })
  cache.set('a', 'x'.repeat(6))
  cache.set('b', 'x'.repeat(6))
  cache.set('c', 'x'.repeat(7))
  expect(['a', 'b', 'c'].map((key) => cache.get(key)?.length)).toEqual([undefined, 6, undefined])
})

test('take() returns an entry once', () => {
  const cache = new Cache<string>({ maxEntries: 2 })
  cache.set('a', 'A')
  expect([cache.take('a'), cache.take('a')]).toEqual(['A', undefined])
})
