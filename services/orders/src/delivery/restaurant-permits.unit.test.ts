import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  MOST_PENDING,
  PER_RESTAURANT,
  RestaurantPermits,
  type Permit,
} from '#/delivery/restaurant-permits.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

async function exhausted(permits: RestaurantPermits, restaurant: string): Promise<Permit[]> {
  const taken = await Promise.all(Array.from({ length: PER_RESTAURANT }, () => permits.acquire(restaurant)))
  return taken.filter((permit) => permit !== null)
}

test('a restaurant without a free permit gets none within the wait; another one gets its own at once', async () => {
  const permits = new RestaurantPermits(400)
  expect(await exhausted(permits, 'silent')).toHaveLength(PER_RESTAURANT)
  const late = permits.acquire('silent')
  expect(await permits.acquire('other')).not.toBeNull()
  vi.advanceTimersByTime(400)
  expect(await late).toBeNull()
})

test('a released permit goes to the request that has waited longest, and to one only', async () => {
  const permits = new RestaurantPermits(400)
  const [first] = await exhausted(permits, 'busy')
  const waiting = [permits.acquire('busy'), permits.acquire('busy')]
  first?.[Symbol.dispose]()
  expect(await waiting[0]).not.toBeNull()
  vi.advanceTimersByTime(400)
  expect(await waiting[1]).toBeNull()
})

test('of very many requests at a time, those above the bound get no permit at once', async () => {
  const permits = new RestaurantPermits(400)
  await exhausted(permits, 'silent')
  const pending = Array.from({ length: MOST_PENDING }, () => permits.acquire('silent'))
  expect(await permits.acquire('silent')).toBeNull()
  vi.advanceTimersByTime(400)
  expect(new Set(await Promise.all(pending))).toEqual(new Set([null]))
})

test('the limit holds again after every permit was released', async () => {
  const permits = new RestaurantPermits(400)
  for (const permit of await exhausted(permits, 'busy')) permit[Symbol.dispose]()
  await exhausted(permits, 'busy')
  const late = permits.acquire('busy')
  vi.advanceTimersByTime(400)
  expect(await late).toBeNull()
})
