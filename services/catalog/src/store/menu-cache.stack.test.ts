import { createLog } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { connectRedis, type Redis } from '@platter/kit/lifecycle/redis'
import { newDatabase, proxyTo, servers, type Proxy } from '@platter/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { ajanta, korma, vindaloo } from '#/domain/cast.ts'
import type { Menu } from '#/domain/menu.ts'
import type { Database, Db } from '#/store/database.ts'
import { createMenuCache, type MenuCache } from '#/store/menu-cache.ts'
import { putMenu } from '#/store/menus.ts'
import { connectCache, type Cache } from '#/store/redis.ts'
import { putRestaurant } from '#/store/restaurants.ts'

const log = createLog('test', 'silent')
const soon = { timeout: 30_000, interval: 10 }
const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname

let db: Db
let closeDatabase: () => Promise<void>
let proxy: Proxy
let admin: Redis
let cache: Cache

beforeAll(async () => {
  const postgres = connectPostgres<Database>(await newDatabase(), 10, log)
  ;({ db } = postgres)
  closeDatabase = () => postgres.close()
  await migrate(db, MIGRATIONS, log)
  // A database of its own, which may be emptied.
  const url = new URL('/7', servers().redis).href
  proxy = await proxyTo(url)
  // A machine that stands still for 100 ms is no failure of the test's own commands.
  admin = connectRedis(url, log, { commandTimeout: undefined })
  await vi.waitFor(() => admin.ping(), soon)
  cache = connectCache(proxy.url, log)
  // Until it is connected it keeps nothing, and nobody says so.
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
  await closeDatabase()
})

/** How long a replica uses a version is measured by it. */
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

async function aRestaurant(): Promise<string> {
  const apiKey = crypto.randomUUID()
  await putRestaurant(db, { ...ajanta, apiKey })
  await putMenu(db, apiKey, menuOf(apiKey))
  return apiKey
}

const textOf = async (menus: MenuCache, restaurant: string, customized: boolean) =>
  (await menus.read(restaurant, customized))?.body.toString()

/** Waits until every client has had an answer to a request that it sent after this was called. */
type Progress = () => Promise<unknown>

/** Twenty clients read menus, each time from a replica that holds none yet, until `trouble` ends; the wrong ones. */
async function underLoad(restaurants: readonly string[], trouble: (progress: Progress) => Promise<void>) {
  const right = new Map<string, string | undefined>()
  for (const one of restaurants) right.set(one, await textOf(createMenuCache(db, cache), one, true))
  const state = { running: true, wrong: [] as unknown[] }
  const answers = Array.from({ length: 20 }, () => 0)
  const clients = answers.map(async (_, client) => {
    for (let turn = client; state.running; turn++) {
      const restaurant = restaurants[turn % restaurants.length] ?? ''
      const text = await textOf(createMenuCache(db, cache), restaurant, true)
      if (text === undefined || text !== right.get(restaurant)) state.wrong.push(text)
      answers[client] = (answers[client] ?? 0) + 1
    }
  })
  const progress = () => {
    const before = [...answers]
    return vi.waitUntil(() => answers.every((count, at) => count > (before[at] ?? 0) + 1), soon)
  }
  try {
    await trouble(progress)
  } finally {
    state.running = false
    await Promise.all(clients)
  }
  return state.wrong
}

test('a menu is rendered once, and read from Redis then by every replica', async () => {
  const restaurant = await aRestaurant()
  const first = await createMenuCache(db, cache).read(restaurant, false)
  const [, version, form] = /^"(\d+)-(.+)"$/.exec(first?.etag ?? '') ?? []
  const key = `menu:${restaurant}:${version}:${form}`
  await vi.waitFor(async () => expect(await admin.exists(key)).toBe(1), soon)
  await admin.set(key, 'whatever is there')
  expect((await createMenuCache(db, cache).read(restaurant, false))?.body.toString()).toBe(
    'whatever is there',
  )
})

test('tag and body belong together: another form and another version have another tag', async () => {
  const restaurant = await aRestaurant()
  const replica = () => createMenuCache(db, cache)
  const [plain, customized] = await Promise.all([
    replica().read(restaurant, false),
    replica().read(restaurant, true),
  ])
  expect(plain?.etag).not.toBe(customized?.etag)
  expect((await replica().read(restaurant, true))?.etag).toBe(customized?.etag)
  expect(await replica().etagOf(restaurant, true)).toBe(customized?.etag)
  await putMenu(db, restaurant, menuOf(restaurant, vindaloo.basePrice))
  const changed = await replica().read(restaurant, true)
  expect(changed?.etag).not.toBe(customized?.etag)
  expect(changed?.body.toString()).toContain('"basePrice":12.5')
})

test('a body that was rendered from a newer version than was asked for has the tag of the newer one', async () => {
  stopClock()
  const restaurant = await aRestaurant()
  const menus = createMenuCache(db, cache)
  const old = await menus.etagOf(restaurant, false)
  await putMenu(db, restaurant, menuOf(restaurant, vindaloo.basePrice))
  // The replica uses the old version for 0.6 s yet, and nobody has rendered that.
  const read = await menus.read(restaurant, false)
  expect(read?.body.toString()).toContain('"basePrice":12.5')
  expect(read?.etag).not.toBe(old)
  expect(read?.etag).toBe(await createMenuCache(db, cache).etagOf(restaurant, false))
})

test('a changed menu is seen 0.6 s later by each replica', async () => {
  stopClock()
  const restaurant = await aRestaurant()
  const menus = createMenuCache(db, cache)
  const before = await textOf(menus, restaurant, false)
  await putMenu(db, restaurant, menuOf(restaurant, vindaloo.basePrice))
  vi.advanceTimersByTime(599)
  expect(await textOf(menus, restaurant, false), 'the database is not asked').toBe(before)
  vi.advanceTimersByTime(1)
  expect(await textOf(menus, restaurant, false)).toContain('"basePrice":12.5')
})

test('there is no menu, and no tag, of a restaurant that does not exist', async () => {
  const menus = createMenuCache(db, cache)
  expect(await menus.read('nobody', false)).toBeNull()
  expect(await menus.etagOf('nobody', false)).toBeNull()
})

test.each<[string, (progress: Progress) => Promise<void>]>([
  [
    'cut off',
    async (progress) => {
      proxy.cut()
      await progress()
      proxy.mend()
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
    'emptied all the time',
    async (progress) => {
      for (let time = 0; time < 5; time++) {
        await admin.flushdb()
        await progress()
      }
    },
  ],
])('menus are read on while Redis is %s', async (_, trouble) => {
  const restaurants = await Promise.all(Array.from({ length: 10 }, aRestaurant))
  expect(await underLoad(restaurants, trouble)).toEqual([])
})
