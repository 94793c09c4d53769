import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { ajanta, korma, vindaloo } from '#/testing/ajanta.ts'
import type { AvailabilityOverride } from '#/domain/availability-overrides.ts'
import { UNTIL_RESUMED } from '#/domain/hours.ts'
import { choicesOf, type Item, type Menu } from '#/domain/menu.ts'
import { clearExpired, postgresAvailability } from '#/store/availability-overrides.ts'
import { postgresMenus } from '#/store/menus.ts'
import { postgresRestaurants } from '#/store/restaurants.ts'

const { db } = await migratedDatabase('catalog')
const restaurants = postgresRestaurants(db)
const menus = postgresMenus(db)
let restaurant: string
let naan: Item

beforeEach(async () => {
  restaurant = crypto.randomUUID()
  await restaurants.put({ ...ajanta, apiKey: restaurant })
  naan = { ...vindaloo, apiKey: `${restaurant}-naan` }
  await menus.put(restaurant, menuOf(naan))
})

const kormaKey = () => `${restaurant}-korma`
const menuOf = (...others: Item[]): Menu => [
  {
    apiKey: `${restaurant}-mains`,
    name: 'Mains',
    description: null,
    items: [{ ...korma, apiKey: kormaKey() }, ...others],
  },
]
const override = (value: AvailabilityOverride, of = restaurant) =>
  db.transaction().execute((trx) => postgresAvailability(trx).override(of, value))
const makeUnavailable = (apiKey: string, until: number | null = null, kind: 'item' | 'choice' = 'item') =>
  override({ kind, apiKey, available: false, until })
const makeAvailable = (apiKey: string, kind: 'item' | 'choice' = 'item') =>
  override({ kind, apiKey, available: true, until: null })

/** Returns whether each item is available, in the menu and for a quote. */
async function availability() {
  const items = (await menus.find(restaurant))?.menu.flatMap((category) => category.items) ?? []
  const keys = items.map(({ apiKey }) => apiKey)
  const quoted = await restaurants.findForQuote({ restaurantApiKey: restaurant, itemApiKeys: keys })
  return Object.fromEntries(
    items.map(({ apiKey, available }) => [
      apiKey.slice(restaurant.length + 1),
      [available, quoted.items.get(apiKey)?.available],
    ]),
  )
}
const versionOfMenu = async () => (await menus.version(restaurant)) ?? 0
const on = [true, true]
const off = [false, false]
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds

test('a restaurant makes an item unavailable and available, and each change increases the version', async () => {
  const versions = [await versionOfMenu()]
  expect(await makeUnavailable(kormaKey())).toBe('stored')
  versions.push(await versionOfMenu())
  expect(await availability()).toEqual({ korma: off, naan: on })
  expect(await makeAvailable(kormaKey())).toBe('stored')
  versions.push(await versionOfMenu())
  expect(await availability()).toEqual({ korma: on, naan: on })
  expect(versions[1]).toBeGreaterThan(versions[0] ?? 0)
  expect(versions[2]).toBeGreaterThan(versions[1] ?? 0)
})

test('an expired override ends for quotes at once, and for menus when one sweeper clears it', async () => {
  await makeUnavailable(kormaKey(), inSeconds(3_600))
  await makeUnavailable(naan.apiKey, inSeconds(3_600))
  await expireAll()
  const before = await versionOfMenu()
  expect(await availability(), 'a version always has the same bytes').toEqual({
    korma: [false, true],
    naan: [false, true],
  })
  await Promise.all(Array.from({ length: 5 }, () => clearExpired(db)))
  expect(await availability()).toEqual({ korma: on, naan: on })
  const after = await versionOfMenu()
  expect(after).toBeGreaterThan(before)
  await clearExpired(db)
  expect(await versionOfMenu(), 'nothing is left to clear').toBe(after)
})

const expireAll = () =>
  sql`update availability set until = now() - interval '1 second' where until is not null`.execute(db)

test('rejects an end in the past and a record that is not on the menu, and changes nothing', async () => {
  const before = await versionOfMenu()
  expect(await makeUnavailable(kormaKey(), inSeconds(-1))).toBe('in-the-past')
  expect(await makeUnavailable('nothing')).toBe('not-on-the-menu')
  expect(await makeUnavailable(kormaKey(), null, 'choice')).toBe('not-on-the-menu')
  const value = { kind: 'item', apiKey: kormaKey(), available: false, until: null } as const
  expect(await override(value, 'another')).toBe('not-on-the-menu')
  expect(await versionOfMenu()).toBe(before)
  expect(await availability()).toEqual({ korma: on, naan: on })
})

test('a choice is unavailable in every item that has it', async () => {
  const other = { ...korma, apiKey: `${restaurant}-other` }
  await menus.put(restaurant, menuOf(other))
  await makeUnavailable('hot', null, 'choice')
  const found = await menus.find(restaurant)
  const hot = found?.menu.flatMap(({ items }) =>
    items.flatMap(({ customizationGroups }) =>
      choicesOf(customizationGroups).flatMap(({ apiKey, available }) =>
        apiKey === 'hot' ? [available] : [],
      ),
    ),
  )
  expect(hot).toEqual([false, false])
})

test('overrides survive a new menu, except where the menu makes a record unavailable', async () => {
  await makeUnavailable(kormaKey())
  await menus.put(restaurant, menuOf({ ...naan, available: false }))
  expect(await availability()).toEqual({ korma: off, naan: off })
  await makeAvailable(naan.apiKey)
  await makeAvailable(kormaKey())
  expect(await availability(), 'the restaurant overrides the menu').toEqual({ korma: on, naan: on })
  await menus.put(restaurant, menuOf(naan))
  expect(await availability()).toEqual({ korma: on, naan: on })
  await menus.put(restaurant, menuOf({ ...naan, available: false }))
  expect(await availability(), 'the new menu ends that override').toEqual({ korma: on, naan: off })
})

test('a record that leaves the menu loses its override', async () => {
  await makeUnavailable(naan.apiKey)
  await menus.put(restaurant, menuOf())
  await menus.put(restaurant, menuOf(naan))
  expect(await availability()).toEqual({ korma: on, naan: on })
})

test('a pause ends at its time or on resume, and survives a replacement of the restaurant', async () => {
  const earliest = inSeconds(1_200)
  const { pausedUntil } = (await postgresAvailability(db).pause(restaurant, 20)) ?? {}
  expect(pausedUntil).toBeGreaterThanOrEqual(earliest)
  expect(pausedUntil).toBeLessThanOrEqual(inSeconds(1_202))
  await restaurants.put({ ...ajanta, apiKey: restaurant })
  expect((await restaurants.find(restaurant))?.pausedUntil).toBe(pausedUntil)
  await sql`
    update restaurants set paused_until = now() - interval '1 second' where api_key = ${restaurant}`.execute(
    db,
  )
  expect((await restaurants.find(restaurant))?.pausedUntil).toBeNull()
  await postgresAvailability(db).pause(restaurant, 1)
  expect(await postgresAvailability(db).pause(restaurant, null)).toEqual({ pausedUntil: null })
  expect((await restaurants.find(restaurant))?.pausedUntil).toBeNull()
  expect(await postgresAvailability(db).pause('another', 1)).toBeUndefined()
})

test('a pause until resume is stored as a finite time and ends when the restaurant resumes', async () => {
  const until = { pausedUntil: UNTIL_RESUMED }
  expect(await postgresAvailability(db).pause(restaurant, 'until-resumed')).toEqual(until)
  expect(await restaurants.find(restaurant)).toMatchObject(until)
  expect(await postgresAvailability(db).pause(restaurant, null)).toEqual({ pausedUntil: null })
})
