import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { ajanta } from '#/testing/ajanta.ts'
import { postgresAttendance } from '#/store/attendance.ts'
import { postgresCandidates } from '#/store/candidates.ts'
import { RestaurantCache } from '#/store/restaurant-cache.ts'
import { postgresRestaurants } from '#/store/restaurants.ts'

const { db } = await migratedDatabase('catalog', 4)
const restaurants = postgresRestaurants(db)
const attendance = postgresAttendance(db)

beforeEach(async () => {
  await sql`delete from attendance`.execute(db)
  await restaurants.put(ajanta)
})

const readAttendance = async () => (await restaurants.find('ajanta'))?.isAttended
const rowVersions = async () =>
  (await sql<{ id: string }>`select xmin::text || xmax::text as id from attendance`.execute(db)).rows
const row = (isAttended: boolean, version: number) => ({
  rows: [{ restaurantApiKey: 'ajanta', isAttended, version, since: 1_700_000_000 }],
})

test('a row of orders decides the attendance, and a stale row that arrives later is ignored', async () => {
  await attendance.store(row(false, 2))
  expect(await readAttendance()).toBe(false)
  await attendance.store(row(true, 1))
  expect(await readAttendance()).toBe(false)
  await attendance.store(row(true, 3))
  expect(await readAttendance()).toBe(true)
})

test('a row that is stored already is not written again', async () => {
  await attendance.store(row(false, 2))
  const before = await rowVersions()
  await attendance.store(row(false, 2))
  expect(await rowVersions()).toEqual(before)
})

test('without a row, the attendance of the default link decides; before it is known, the restaurant is attended', async () => {
  expect(await readAttendance()).toBe(true)
  await attendance.store({ rows: [], othersAreAttended: false })
  expect(await readAttendance()).toBe(false)
  await attendance.store(row(true, 1))
  expect(await readAttendance()).toBe(true)
})

test('a restaurant that does not require attendance counts as attended', async () => {
  await restaurants.put({ ...ajanta, requireAttendance: false })
  await attendance.store(row(false, 1))
  expect(await readAttendance()).toBe(true)
  expect(await attendance.unattended(0)).toEqual([])
})

test('quotes and searches read the current attendance, also of a cached restaurant', async () => {
  const cache = new RestaurantCache(restaurants)
  const candidates = postgresCandidates(db, cache)
  const { latitude, longitude } = ajanta
  const place = { point: { latitude, longitude }, streetAddress: '', city: '', state: '', zip: '' }
  const search = async () => {
    const criteria = {
      place,
      method: 'both' as const,
      pickupRadiusMiles: 5,
      isTestRestaurant: false,
      words: [],
    }
    const [found] = await candidates.find(criteria)
    const [record] = await cache.find(found ? [found] : [])
    return record?.isAttended
  }
  const quoted = async () =>
    (await restaurants.findForQuote({ restaurantApiKey: 'ajanta', itemApiKeys: [] })).restaurant?.isAttended
  expect([await search(), await quoted()]).toEqual([true, true])
  await attendance.store(row(false, 1))
  expect([await search(), await quoted()]).toEqual([false, false])
  await attendance.store(row(true, 2))
  expect([await search(), await quoted()]).toEqual([true, true])
})

test('lists restaurants unattended for longer than a time, without paused and test ones', async () => {
  await sql`update restaurants set created_at = now() - interval '1 day'`.execute(db)
  const found = async (olderThanMs: number) =>
    (await attendance.unattended(olderThanMs)).map((one) => one.restaurantApiKey)
  const since = Math.floor(Date.now() / 1_000) - 400
  await attendance.store({ rows: [{ restaurantApiKey: 'ajanta', isAttended: false, version: 1, since }] })
  expect(await found(300_000)).toEqual(['ajanta'])
  expect(await found(500_000)).toEqual([])
  await sql`update restaurants set paused_until = now() + interval '1 hour'`.execute(db)
  expect(await found(300_000)).toEqual([])
  await sql`update restaurants set paused_until = null`.execute(db)
  await restaurants.put({ ...ajanta, isTestRestaurant: true })
  expect(await found(300_000)).toEqual([])
})
