import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ajanta, aZone } from '#/testing/ajanta.ts'
import { postgresAvailability } from '#/store/availability-overrides.ts'
import { postgresCandidates, type CandidateStore } from '#/store/candidates.ts'
import { RestaurantCache } from '#/store/restaurant-cache.ts'
import { postgresRestaurants } from '#/store/restaurants.ts'

const { latitude, longitude, zip } = ajanta
const place = { point: { latitude, longitude }, streetAddress: '', city: '', state: '', zip }
const around = { isTestRestaurant: false, words: [], place, method: 'both', pickupRadiusMiles: 5 } as const

const { db } = await migratedDatabase('catalog')
const newCache = () => new RestaurantCache(postgresRestaurants(db))
/** The caches of two replicas. */
const caches = [newCache(), newCache()]

const put = (over: Partial<typeof ajanta>) => postgresRestaurants(db).put({ ...ajanta, ...over })
const search = (cache: RestaurantCache, over: Partial<Parameters<CandidateStore['find']>[0]> = {}) =>
  postgresCandidates(db, cache).find({ ...around, ...over })
const findAjanta = async (by = db) =>
  (await Promise.all(caches.map((cache) => postgresCandidates(by, cache).find(around)))).map((candidates) =>
    candidates.find(({ apiKey }) => apiKey === ajanta.apiKey),
  )

test('the next search at every replica returns a change of a restaurant, its zones or its pause', async () => {
  await put({})
  expect(await findAjanta()).toMatchObject([ajanta, ajanta])

  const hours = { Friday: ['5:00 PM - 9:00 PM'] }
  await put({ hours })
  expect(await findAjanta()).toMatchObject([{ hours }, { hours }])

  const zones = [aZone({ maxRadius: 3 })]
  await put({ zones })
  expect(await findAjanta()).toMatchObject([{ zones }, { zones }])

  const { pausedUntil } = (await postgresAvailability(db).pause(ajanta.apiKey, 5)) ?? {}
  expect(pausedUntil).toBeGreaterThan(Date.now() / 1_000)
  expect(await findAjanta()).toMatchObject([{ pausedUntil }, { pausedUntil }])

  await sql`delete from restaurants where api_key = ${ajanta.apiKey}`.execute(db)
  expect(await findAjanta()).toEqual([undefined, undefined])
})

test('the next search after the end of a pause returns the restaurant without it', async () => {
  await put({})
  await db.transaction().execute(async (trx) => {
    // now() is the start of the transaction, so a slow machine does not end the pause.
    const { rows } = await sql<{ began: Date }>`select now() as began`.execute(trx)
    await sql`update restaurants set paused_until = ${rows[0]?.began}::timestamptz + interval '300 ms'`.execute(
      db,
    )
    await findAjanta()
    expect((await findAjanta(trx)).every((restaurant) => restaurant?.pausedUntil !== null)).toBe(true)
  })
  await expect.poll(() => findAjanta()).toMatchObject([{ pausedUntil: null }, { pausedUntil: null }])
})

test('searches that share a statement return their own restaurants', async () => {
  await put({ apiKey: 'here' })
  await put({ apiKey: 'there', latitude: latitude + 2 })
  await put({ apiKey: 'here-delivers', latitude: latitude + 1, zones: [aZone({ apiKey: 'z', zips: [zip] })] })
  await put({ apiKey: 'test', isTestRestaurant: true })
  const cache = newCache()
  const there = { ...place, point: { latitude: latitude + 2, longitude }, zip: '' }
  const found = await Promise.all([
    search(cache),
    search(cache, { place: there }),
    search(cache, { method: 'pickup' }),
    search(cache, { isTestRestaurant: true }),
    search(cache, { words: ['nothing has this word'] }),
  ])
  expect(found.map((candidates) => candidates.map(({ apiKey }) => apiKey).toSorted())).toEqual([
    ['ajanta', 'here', 'here-delivers'],
    ['there'],
    ['ajanta', 'here'],
    ['test'],
    [],
  ])
})

test('a cached restaurant is read once', async () => {
  await put({})
  const cache = newCache()
  const [first] = await search(cache)
  const [again] = await search(cache)
  expect(again).toBe(first)
})
