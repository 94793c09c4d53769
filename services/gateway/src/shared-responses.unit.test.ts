import type { Load } from '@platter/kit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSharedResponses, type SharedResponse } from '#/shared-responses.ts'

const URL = '/publicapi/v1/restaurant/ajanta/menu'

const response = (etag: string, body = etag): SharedResponse => ({
  headers: { etag },
  etag,
  body: Buffer.from(body),
})

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** Creates a cache, and a service whose response the test sets. */
function createCache() {
  const requests: (string | undefined)[] = []
  const responses = createSharedResponses()
  const service = { current: async (): Promise<SharedResponse | undefined> => response('"1"') }
  const fetchShared: Load<SharedResponse> = async (kept) => {
    requests.push(kept?.etag)
    const current = await service.current()
    return kept && current?.etag === kept.etag ? kept : current
  }
  const find = async (url = URL) => (await responses.load(url, fetchShared))?.etag
  return { requests, service, find }
}

test('a response is requested once and served from memory for 0.8 s', async () => {
  const { requests, find } = createCache()
  expect(await find()).toBe('"1"')
  vi.advanceTimersByTime(799)
  expect(await find()).toBe('"1"')
  expect(requests).toEqual([undefined])
})

test('after 0.8 s a response is revalidated by its entity tag, and a change is served', async () => {
  const { requests, service, find } = createCache()
  await find()
  vi.advanceTimersByTime(801)
  expect(await find()).toBe('"1"')
  service.current = async () => response('"2"')
  vi.advanceTimersByTime(801)
  expect(await find()).toBe('"2"')
  expect(requests).toEqual([undefined, '"1"', '"1"'])
})

test('the age of a response counts from its request, not from its arrival', async () => {
  const { requests, service, find } = createCache()
  service.current = async () => {
    vi.advanceTimersByTime(500)
    return response('"1"')
  }
  await find()
  vi.advanceTimersByTime(301)
  await find()
  expect(requests).toEqual([undefined, '"1"'])
})

test('many requests for the same URL at the same time cost one request to the service', async () => {
  const { requests, find } = createCache()
  expect(await Promise.all([find(), find(), find()])).toEqual(['"1"', '"1"', '"1"'])
  expect(requests).toHaveLength(1)
})

test('a response other than 200 is never cached', async () => {
  const { requests, service, find } = createCache()
  service.current = async () => undefined
  expect(await find()).toBeUndefined()
  expect(await find()).toBeUndefined()
  expect(requests).toHaveLength(2)
})

test('a failure of the service reaches each request that waits, and the next request tries again', async () => {
  const { requests, service, find } = createCache()
  service.current = async () => {
    throw new Error('unavailable')
  }
  await expect(Promise.allSettled([find(), find()])).resolves.toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ])
  service.current = async () => response('"1"')
  expect(await find()).toBe('"1"')
  expect(requests).toHaveLength(2)
})

test('an expired response is not served while its service is unavailable', async () => {
  const { service, find } = createCache()
  await find()
  vi.advanceTimersByTime(801)
  service.current = async () => {
    throw new Error('unavailable')
  }
  await expect(find()).rejects.toThrow('unavailable')
})

test('evicts the least recently used of 16 responses of 512 KiB, and does not cache one of 2 MiB', async () => {
  const { requests, service, find } = createCache()
  service.current = async () => response('"1"', 'x'.repeat(512 * 1_024))
  // 15 of them fit into 8 MiB.
  for (let n = 0; n < 15; n++) await find(`${URL}?n=${n}`)
  await find(`${URL}?n=0`)
  await find(`${URL}?n=15`)
  await find(`${URL}?n=0`)
  expect(requests).toHaveLength(16)
  await find(`${URL}?n=1`)
  expect(requests).toHaveLength(17)
  service.current = async () => response('"1"', 'x'.repeat(2 * 1_024 * 1_024))
  await find(`${URL}?large`)
  await find(`${URL}?large`)
  expect(requests).toHaveLength(19)
})
