import { createLog } from '@platter/kit'
import { connectRedis, type Redis } from '@platter/kit/lifecycle/redis'
import { PATIENT_REDIS, migratedDatabase, proxyTo, servers, type Proxy } from '@platter/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { ajanta, korma, vindaloo } from '#/testing/ajanta.ts'
import type { Menu } from '#/domain/menu.ts'
import { createMenuCache, type MenuCache } from '#/store/menu-cache.ts'
import { postgresMenus } from '#/store/menus.ts'
import { connectCache, type RedisCache } from '#/store/redis-cache.ts'
import { postgresRestaurants } from '#/store/restaurants.ts'

const log = createLog('test', 'silent')
const soon = { timeout: 30_000, interval: 10 }

const { db } = await migratedDatabase('catalog')
const menus = postgresMenus(db)
let proxy: Proxy
let admin: Redis
let cache: RedisCache

beforeAll(async () => {
  // A separate database, which this test flushes.
  const url = new URL('/7', servers().redis).href
  proxy = await proxyTo(url)
  admin = connectRedis(url, log, PATIENT_REDIS)
  await vi.waitFor(() => admin.ping(), soon)
  cache = connectCache(proxy.url, log)
  // Until its connection is open the cache stores nothing and reports no error.
  await vi.waitUntil(async () => {
    await cache.set('ready', Buffer.from('1'), 10)
    return (await admin.exists('ready')) === 1
  }, soon)
})

afterAll(async () => {
  cache.close()
  await vi.waitFor(() => admin.ping(), soon)
  admin.disconnect()
  await proxy.close()
})

/** Fakes the clock by which a replica expires a version. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

const menuOf = (restaurant: string, basePrice = korma.basePrice): Menu => [
  {
    apiKey: `${restaurant}-mains`,
    name: 'Mains',
    description: null,
    items: [
      { ...korma, apiKey: `${restaurant}-korma`, basePrice },
      { ...vindaloo, apiKey: `${restaurant}-vindaloo` },
    ],
  },
]

async function newRestaurant(): Promise<string> {
  const apiKey = crypto.randomUUID()
  await postgresRestaurants(db).put({ ...ajanta, apiKey })
  await menus.put(apiKey, menuOf(apiKey))
  return apiKey
}

const textOf = async (replica: MenuCache, restaurant: string, customized: boolean) =>
  (await replica.read(restaurant, customized))?.body.toString()

/** Waits until every client has received a response to a request that it sent after the call. */
type Progress = () => Promise<unknown>

/** Twenty clients read menus from replicas without menus until `fault` ends. Returns the incorrect responses. */
async function readUnderLoad(restaurants: readonly string[], fault: (progress: Progress) => Promise<void>) {
  const expected = new Map<string, string | undefined>()
  for (const restaurant of restaurants)
    expected.set(restaurant, await textOf(createMenuCache(menus, cache), restaurant, true))
  const state = { running: true, incorrect: [] as unknown[] }
  const responses = Array.from({ length: 20 }, () => 0)
  const clients = responses.map(async (_, client) => {
    for (let turn = client; state.running; turn++) {
      const restaurant = restaurants[turn % restaurants.length] ?? ''
      const text = await textOf(createMenuCache(menus, cache), restaurant, true)
      if (text === undefined || text !== expected.get(restaurant)) state.incorrect.push(text)
      responses[client] = (responses[client] ?? 0) + 1
    }
  })
  const progress = () => {
    const before = [...responses]
    return vi.waitUntil(() => responses.every((count, at) => count > (before[at] ?? 0) + 1), soon)
  }
  try {
    await fault(progress)
  } finally {
    state.running = false
    await Promise.all(clients)
  }
  return state.incorrect
}

test('a menu is rendered once, then every replica reads it from Redis', async () => {
  const restaurant = await newRestaurant()
  const first = await createMenuCache(menus, cache).read(restaurant, false)
  const [, version, form] = /^"(\d+)-(.+)"$/.exec(first?.etag ?? '') ?? []
  const key = `menu:${restaurant}:${version}:${form}`
  await vi.waitFor(async () => expect(await admin.exists(key)).toBe(1), soon)
  await admin.set(key, 'the bytes in Redis')
  expect((await createMenuCache(menus, cache).read(restaurant, false))?.body.toString()).toBe(
    'the bytes in Redis',
  )
})

test('each form and each version of a menu has its own entity tag', async () => {
  const restaurant = await newRestaurant()
  const replica = () => createMenuCache(menus, cache)
  const [plain, customized] = await Promise.all([
    replica().read(restaurant, false),
    replica().read(restaurant, true),
  ])
  expect(plain?.etag).not.toBe(customized?.etag)
  expect((await replica().read(restaurant, true))?.etag).toBe(customized?.etag)
  expect(await replica().etagOf(restaurant, true)).toBe(customized?.etag)
  await menus.put(restaurant, menuOf(restaurant, vindaloo.basePrice))
  const changed = await replica().read(restaurant, true)
  expect(changed?.etag).not.toBe(customized?.etag)
  expect(changed?.body.toString()).toContain('"basePrice":12.5')
})

test('a body of a newer version than requested has the entity tag of the newer one', async () => {
  stopClock()
  const restaurant = await newRestaurant()
  const replica = createMenuCache(menus, cache)
  const old = await replica.etagOf(restaurant, false)
  await menus.put(restaurant, menuOf(restaurant, vindaloo.basePrice))
  // The replica uses the old version for another 0.6 s, but no replica has rendered it.
  const read = await replica.read(restaurant, false)
  expect(read?.body.toString()).toContain('"basePrice":12.5')
  expect(read?.etag).not.toBe(old)
  expect(read?.etag).toBe(await createMenuCache(menus, cache).etagOf(restaurant, false))
})

test('every replica returns a changed menu after 0.6 s', async () => {
  stopClock()
  const restaurant = await newRestaurant()
  const replica = createMenuCache(menus, cache)
  const before = await textOf(replica, restaurant, false)
  await menus.put(restaurant, menuOf(restaurant, vindaloo.basePrice))
  vi.advanceTimersByTime(599)
  expect(await textOf(replica, restaurant, false), 'without a query').toBe(before)
  vi.advanceTimersByTime(1)
  expect(await textOf(replica, restaurant, false)).toContain('"basePrice":12.5')
})

test('a restaurant that does not exist has no menu and no entity tag', async () => {
  const replica = createMenuCache(menus, cache)
  expect(await replica.read('unknown', false)).toBeNull()
  expect(await replica.etagOf('unknown', false)).toBeNull()
})

test.each<[string, (progress: Progress) => Promise<void>]>([
  [
    'disconnected',
    async (progress) => {
      proxy.cut()
      await progress()
      proxy.restore()
      await progress()
    },
  ],
  [
    'frozen',
    async (progress) => {
      proxy.freeze()
      await progress()
      proxy.thaw()
      await progress()
    },
  ],
  [
    'flushed repeatedly',
    async (progress) => {
      for (let time = 0; time < 5; time++) {
        await admin.flushdb()
        await progress()
      }
    },
  ],
])('menus are served while Redis is %s', async (_, fault) => {
  const restaurants = await Promise.all(Array.from({ length: 10 }, newRestaurant))
  expect(await readUnderLoad(restaurants, fault)).toEqual([])
})
