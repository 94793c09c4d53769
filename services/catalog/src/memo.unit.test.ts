import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createMemo } from '#/memo.ts'

beforeAll(() => vi.useFakeTimers({ toFake: ['performance'] }))
afterAll(() => vi.useRealTimers())

/** Counts its loads, and gives their numbers. */
function counter() {
  let loads = 0
  return { load: async () => ++loads, count: () => loads }
}

test('what was loaded is remembered for its time, null too', async () => {
  const memo = createMemo<number | null>({ ttlMs: 30, max: 10 })
  let loads = 0
  const load = async () => (loads++, null)
  await memo('a', load)
  await memo('a', load)
  expect(loads).toBe(1)
  vi.advanceTimersByTime(31)
  await memo('a', load)
  expect(loads).toBe(2)
})

test('however many ask at once, one load runs', async () => {
  const memo = createMemo<number>({ ttlMs: 0, max: 10 })
  const { load, count } = counter()
  expect(await Promise.all(Array.from({ length: 100 }, () => memo('a', load)))).toEqual(Array(100).fill(1))
  expect(count()).toBe(1)
  expect(await memo('a', load), 'and with no time to live the next one loads again').toBe(2)
})

test('a load that takes longer than its time is shared all the same', async () => {
  const memo = createMemo<number>({ ttlMs: 5, max: 10 })
  const { load, count } = counter()
  const over = Promise.withResolvers<void>()
  const slow = async () => (await over.promise, load())
  const first = memo('a', slow)
  vi.advanceTimersByTime(15)
  const second = memo('a', slow)
  over.resolve()
  expect(await Promise.all([first, second])).toEqual([1, 1])
  expect(count()).toBe(1)
})

const failing = async () => {
  throw new Error('away')
}

test('a failure reaches everyone who waits and is not remembered', async () => {
  const memo = createMemo<string>({ ttlMs: 1_000, max: 10 })
  const both = await Promise.allSettled([memo('a', failing), memo('a', failing)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await memo('a', async () => 'back')).toBe('back')
})

test('it keeps no more keys than it may, the oldest go first', async () => {
  const memo = createMemo<number>({ ttlMs: 10_000, max: 2 })
  const { load, count } = counter()
  for (const key of ['a', 'b', 'c', 'c', 'b']) await memo(key, load)
  expect(count()).toBe(3)
  await memo('a', load)
  expect(count()).toBe(4)
})
