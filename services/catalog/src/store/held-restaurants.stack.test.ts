import { createLog } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { newDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ajanta, aZone } from '#/domain/cast.ts'
import { pause } from '#/store/availability.ts'
import { findCandidates } from '#/store/candidates.ts'
import type { Database, Db } from '#/store/database.ts'
import { HeldRestaurants } from '#/store/held-restaurants.ts'
import { putRestaurant } from '#/store/restaurants.ts'

const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname
const { latitude, longitude, zip } = ajanta
const place = { point: { latitude, longitude }, streetAddress: '', city: '', state: '', zip }
const around = { isTest: false, words: [], place, method: 'both', pickupRadiusMiles: 5 } as const

let db: Db
let close: () => Promise<void>
/** Of two replicas. */
let replicas: readonly HeldRestaurants[]

beforeAll(async () => {
  const postgres = connectPostgres<Database>(await newDatabase(), 10, createLog('test', 'silent'))
  ;({ db, close } = postgres)
  await migrate(db, MIGRATIONS, createLog('test', 'silent'))
  replicas = [new HeldRestaurants(db), new HeldRestaurants(db)]
})
afterAll(() => close())

const put = (over: Partial<typeof ajanta>) => putRestaurant(db, { ...ajanta, ...over })
const search = (held: HeldRestaurants, over: Partial<Parameters<typeof findCandidates>[2]> = {}) =>
  findCandidates(db, held, { ...around, ...over })
const seen = async (by = db) =>
  (await Promise.all(replicas.map((held) => findCandidates(by, held, around)))).map((candidates) =>
    candidates.find(({ apiKey }) => apiKey === ajanta.apiKey),
  )

test('a change of the restaurant, of its zones or of its pause is in the next search at every replica', async () => {
  await put({})
  expect(await seen()).toMatchObject([ajanta, ajanta])

  const hours = { Friday: ['5:00 PM - 9:00 PM'] }
  await put({ hours })
  expect(await seen()).toMatchObject([{ hours }, { hours }])

  const zones = [aZone({ maxRadius: 3 })]
  await put({ zones })
  expect(await seen()).toMatchObject([{ zones }, { zones }])

  const { pausedUntil } = (await pause(db, ajanta.apiKey, 5)) ?? {}
  expect(pausedUntil).toBeGreaterThan(Date.now() / 1_000)
  expect(await seen()).toMatchObject([{ pausedUntil }, { pausedUntil }])

  await db.deleteFrom('restaurants').where('api_key', '=', ajanta.apiKey).execute()
  expect(await seen()).toEqual([undefined, undefined])
})

test('a pause that has ended is over in the next search, although nothing was written', async () => {
  await put({})
  await db.transaction().execute(async (trx) => {
    // In a transaction now() is its beginning, however long all of this takes.
    const { rows } = await sql<{ began: Date }>`select now() as began`.execute(trx)
    await sql`update restaurants set paused_until = ${rows[0]?.began}::timestamptz + interval '300 ms'`.execute(
      db,
    )
    await seen()
    expect((await seen(trx)).every((restaurant) => restaurant?.pausedUntil !== null)).toBe(true)
  })
  await expect.poll(() => seen()).toMatchObject([{ pausedUntil: null }, { pausedUntil: null }])
})

test('searches that share a statement each get their own restaurants', async () => {
  await put({ apiKey: 'here' })
  await put({ apiKey: 'there', latitude: latitude + 2 })
  await put({ apiKey: 'here-delivers', latitude: latitude + 1, zones: [aZone({ apiKey: 'z', zips: [zip] })] })
  await put({ apiKey: 'test', isTest: true })
  const [held = new HeldRestaurants(db)] = replicas
  const there = { ...place, point: { latitude: latitude + 2, longitude }, zip: '' }
  const found = await Promise.all([
    search(held),
    search(held, { place: there }),
    search(held, { method: 'pickup' }),
    search(held, { isTest: true }),
    search(held, { words: ['nothing has this word'] }),
  ])
  expect(found.map((candidates) => candidates.map(({ apiKey }) => apiKey).toSorted())).toEqual([
    ['ajanta', 'here', 'here-delivers'],
    ['there'],
    ['ajanta', 'here'],
    ['test'],
    [],
  ])
})

test('a restaurant that is held is read once', async () => {
  await put({})
  const held = new HeldRestaurants(db)
  const [first] = await search(held)
  const [again] = await search(held)
  expect(again).toBe(first)
})
