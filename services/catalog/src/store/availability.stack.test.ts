import { createLog } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { newDatabase } from '@platter/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ajanta, korma, vindaloo } from '#/domain/cast.ts'
import type { Said } from '#/domain/availability.ts'
import type { Item, Menu } from '#/domain/menu.ts'
import { clearPast, pause, say } from '#/store/availability.ts'
import type { Database, Db } from '#/store/database.ts'
import { findMenu, menuVersion, putMenu } from '#/store/menus.ts'
import { findForQuote, findRestaurant, putRestaurant } from '#/store/restaurants.ts'

const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname
let db: Db
let close: () => Promise<void>
let restaurant: string
let naan: Item

beforeAll(async () => {
  const postgres = connectPostgres<Database>(await newDatabase(), 10, createLog('test', 'silent'))
  ;({ db, close } = postgres)
  await migrate(db, MIGRATIONS, createLog('test', 'silent'))
})
afterAll(() => close())
beforeEach(async () => {
  restaurant = crypto.randomUUID()
  await putRestaurant(db, { ...ajanta, apiKey: restaurant })
  naan = { ...vindaloo, apiKey: `${restaurant}-naan` }
  await putMenu(db, restaurant, menuOf(naan))
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
const spoken = (word: Said, by = restaurant) => db.transaction().execute((trx) => say(trx, by, word))
const takeOff = (apiKey: string, until: number | null = null, kind: 'item' | 'choice' = 'item') =>
  spoken({ kind, apiKey, available: false, until })
const putBack = (apiKey: string, kind: 'item' | 'choice' = 'item') =>
  spoken({ kind, apiKey, available: true, until: null })

/** Whether each item can be ordered, by the menu and by the quote. */
async function availability() {
  const items = (await findMenu(db, restaurant))?.menu.flatMap((category) => category.items) ?? []
  const keys = items.map(({ apiKey }) => apiKey)
  const quoted = await findForQuote(db, { restaurantApiKey: restaurant, itemApiKeys: keys })
  return Object.fromEntries(
    items.map(({ apiKey, available }) => [
      apiKey.slice(restaurant.length + 1),
      [available, quoted.items.get(apiKey)?.available],
    ]),
  )
}
const on = [true, true]
const off = [false, false]
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds

test('an item is off until the restaurant puts it back, and each time the version rises', async () => {
  const versions = [await menuVersion(db, restaurant)]
  expect(await takeOff(kormaKey())).toBe('said')
  versions.push(await menuVersion(db, restaurant))
  expect(await availability()).toEqual({ korma: off, naan: on })
  expect(await putBack(kormaKey())).toBe('said')
  versions.push(await menuVersion(db, restaurant))
  expect(await availability()).toEqual({ korma: on, naan: on })
  expect(new Set(versions).size).toBe(3)
})

test('what is over is available for orders at once, and for menus when it is cleared away, by one of many', async () => {
  await takeOff(kormaKey(), inSeconds(3_600))
  await takeOff(naan.apiKey, inSeconds(3_600))
  // The clock cannot be put on, but what it is compared with can.
  await pastAll()
  const before = await menuVersion(db, restaurant)
  expect(await availability(), 'a version stands for its bytes').toEqual({
    korma: [false, true],
    naan: [false, true],
  })
  await Promise.all(Array.from({ length: 5 }, () => clearPast(db)))
  expect(await availability()).toEqual({ korma: on, naan: on })
  const after = await menuVersion(db, restaurant)
  expect(after).toBeGreaterThan(before ?? 0)
  await clearPast(db)
  expect(await menuVersion(db, restaurant), 'once').toBe(after)
})

const pastAll = () =>
  db
    .updateTable('availability')
    .set({ until: new Date(Date.now() - 1_000) } as never)
    .where('until', 'is not', null)
    .execute()

test('until in the past, and what is not on the menu of the restaurant, change nothing', async () => {
  const before = await menuVersion(db, restaurant)
  expect(await takeOff(kormaKey(), inSeconds(-1))).toBe('in-the-past')
  expect(await takeOff('nothing')).toBe('not-on-the-menu')
  expect(await takeOff(kormaKey(), null, 'choice')).toBe('not-on-the-menu')
  const word = { kind: 'item', apiKey: kormaKey(), available: false, until: null } as const
  expect(await spoken(word, 'another')).toBe('not-on-the-menu')
  expect(await menuVersion(db, restaurant)).toBe(before)
  expect(await availability()).toEqual({ korma: on, naan: on })
})

test('a choice is off in every item that has it', async () => {
  const other = { ...korma, apiKey: `${restaurant}-other` }
  await putMenu(db, restaurant, menuOf(other))
  await takeOff('hot', null, 'choice')
  const found = await findMenu(db, restaurant)
  const hot = found?.menu.flatMap(({ items }) =>
    items.flatMap(({ customizationGroups }) =>
      customizationGroups.flatMap(({ customizations }) =>
        customizations.flatMap(({ customizationChoices }) =>
          customizationChoices.flatMap(({ apiKey, available }) => (apiKey === 'hot' ? [available] : [])),
        ),
      ),
    ),
  )
  expect(hot).toEqual([false, false])
})

test('a new menu leaves what the restaurant took off, and counts where it says itself that something is off', async () => {
  await takeOff(kormaKey())
  await putMenu(db, restaurant, menuOf({ ...naan, available: false }))
  expect(await availability()).toEqual({ korma: off, naan: off })
  await putBack(naan.apiKey)
  await putBack(kormaKey())
  expect(await availability(), 'the restaurant may say otherwise').toEqual({ korma: on, naan: on })
  await putMenu(db, restaurant, menuOf(naan))
  expect(await availability()).toEqual({ korma: on, naan: on })
  await putMenu(db, restaurant, menuOf({ ...naan, available: false }))
  expect(await availability(), 'and the operator again').toEqual({ korma: on, naan: off })
})

test('what is not on a new menu is forgotten', async () => {
  await takeOff(naan.apiKey)
  await putMenu(db, restaurant, menuOf())
  await putMenu(db, restaurant, menuOf(naan))
  expect(await availability()).toEqual({ korma: on, naan: on })
})

test('a pause is over by itself, or when the restaurant says so, and outlives a new record of the restaurant', async () => {
  const earliest = inSeconds(1_200)
  const { pausedUntil } = (await pause(db, restaurant, 20)) ?? {}
  expect(pausedUntil).toBeGreaterThanOrEqual(earliest)
  expect(pausedUntil).toBeLessThanOrEqual(inSeconds(1_202))
  await putRestaurant(db, { ...ajanta, apiKey: restaurant })
  expect((await findRestaurant(db, restaurant))?.pausedUntil).toBe(pausedUntil)
  await db
    .updateTable('restaurants')
    .set({ paused_until: new Date(Date.now() - 1_000) } as never)
    .where('api_key', '=', restaurant)
    .execute()
  expect((await findRestaurant(db, restaurant))?.pausedUntil).toBeNull()
  await pause(db, restaurant, 1)
  expect(await pause(db, restaurant, null)).toEqual({ pausedUntil: null })
  expect((await findRestaurant(db, restaurant))?.pausedUntil).toBeNull()
  expect(await pause(db, 'another', 1)).toBeUndefined()
})
