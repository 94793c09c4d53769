import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Batcher } from '#/batching.ts'

const ITEM = { json: '{"a":1}' }
let published: [string, number][] = []
const batcher = () =>
  new Batcher((to, items) => void published.push([`${to.exchange ?? ''}${to.key}`, items.length]))

beforeEach(() => {
  published = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] })
})
afterEach(() => void vi.useRealTimers())

test('items of one event-loop turn to one destination share a message', async () => {
  const one = batcher()
  const all = ['a', 'b', 'a', 'a'].map((key) => one.add({ key }, ITEM))
  expect(published).toEqual([])
  vi.advanceTimersByTime(0)
  await Promise.all(all)
  expect(published).toEqual([
    ['a', 3],
    ['b', 1],
  ])
})

test('an exchange and a queue of the same name are two destinations', () => {
  const one = batcher()
  void one.add({ exchange: 'x', key: '' }, ITEM)
  void one.add({ key: 'x' }, ITEM)
  vi.advanceTimersByTime(0)
  expect(published).toHaveLength(2)
})

test('items for a destination with a delay are published together after it', () => {
  const one = batcher()
  const to = { key: 'a', delayMs: 100 }
  void one.add(to, ITEM)
  vi.advanceTimersByTime(99)
  expect(published).toEqual([])
  void one.add(to, ITEM)
  vi.advanceTimersByTime(1)
  expect(published).toEqual([['a', 2]])
  vi.advanceTimersByTime(1_000)
  expect(published).toHaveLength(1)
})

test('a full batch is published once, and the next one after its own delay', () => {
  const one = batcher()
  const to = { key: 'a', delayMs: 100 }
  for (let count = 0; count < 32; count++) void one.add(to, ITEM)
  expect(published).toEqual([['a', 32]])
  vi.advanceTimersByTime(50)
  void one.add(to, ITEM)
  vi.advanceTimersByTime(99)
  expect(published).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(published.slice(1)).toEqual([['a', 1]])
})

test('a message has at most 32 items and about 128 KiB', () => {
  const one = batcher()
  for (let count = 0; count < 70; count++) void one.add({ key: 'a', delayMs: 100 }, ITEM)
  expect(published).toEqual([
    ['a', 32],
    ['a', 32],
  ])
  const large = { json: 'x'.repeat(70 * 1024) }
  for (let count = 0; count < 3; count++) void one.add({ key: 'b' }, large)
  vi.advanceTimersByTime(100)
  expect(published.slice(2)).toEqual([
    ['b', 2],
    ['b', 1],
    ['a', 6],
  ])
})

test('a message that cannot be published fails all of its items, and no item of the next message', async () => {
  let works = false
  const one = new Batcher(() => {
    if (!works) throw new Error('planted')
  })
  const lost = [one.add({ key: 'a' }, ITEM), one.add({ key: 'a' }, ITEM)]
  vi.advanceTimersByTime(0)
  for (const item of lost) await expect(item).rejects.toThrow('planted')
  works = true
  const next = one.add({ key: 'a' }, ITEM)
  vi.advanceTimersByTime(0)
  await next
})
