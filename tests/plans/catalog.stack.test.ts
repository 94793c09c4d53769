import { afterAll, beforeAll, expect, test } from 'vitest'
import { ajanta, aZone, korma } from '../../services/catalog/src/domain/cast.ts'
import type { Database, Db } from '../../services/catalog/src/store/database.ts'
import * as candidates from '../../services/catalog/src/store/candidates.ts'
import { HeldRestaurants } from '../../services/catalog/src/store/held-restaurants.ts'
import * as availability from '../../services/catalog/src/store/availability.ts'
import * as menus from '../../services/catalog/src/store/menus.ts'
import * as restaurants from '../../services/catalog/src/store/restaurants.ts'
import { fillRestaurants } from '../bench/fill.ts'
import { namedCalls, openDatabase, type CallsOf } from './plans.ts'

const RESTAURANTS = 2_000
const growing = ['restaurants', 'delivery_zones', 'menu_categories', 'menu_items']

const { apiKey } = ajanta
const place = {
  point: { latitude: 43.07, longitude: -89.38 },
  streetAddress: '',
  city: 'Madison',
  state: 'WI',
  zip: '53703',
}
const sought = { isTest: false, words: ['korma'], place, method: 'both', pickupRadiusMiles: 5 } as const
const menu = [{ apiKey: 'mains', name: 'Mains', description: null, items: [korma] }]
const keys = { item: { all: [korma.apiKey], off: [] }, choice: { all: [], off: [] } }

const calls = {
  candidates: {
    findCandidates: async (db) => {
      for (const method of ['pickup', 'delivery', 'both'] as const)
        await candidates.findCandidates(db, new HeldRestaurants(db), { ...sought, method })
    },
  },
  restaurants: {
    findRestaurant: (db) => restaurants.findRestaurant(db, apiKey),
    findForQuote: (db) =>
      restaurants.findForQuote(db, { restaurantApiKey: apiKey, itemApiKeys: [korma.apiKey] }),
    listRestaurants: (db) => restaurants.listRestaurants(db, { before: null, limit: 100 }),
    putRestaurant: (db) => restaurants.putRestaurant(db, ajanta),
  },
  menus: {
    menuVersion: (db) => menus.menuVersion(db, apiKey),
    findMenu: (db) => menus.findMenu(db, apiKey),
    findMenuAndSaid: (db) => menus.findMenuAndSaid(db, apiKey),
    findCustomizations: (db) => menus.findCustomizations(db, korma.apiKey),
    putMenu: (db) => menus.putMenu(db, apiKey, menu),
  },
  availability: {
    say: (db) => {
      const word = { kind: 'item', apiKey: korma.apiKey, available: false, until: null } as const
      return db.transaction().execute((trx) => availability.say(trx, apiKey, word))
    },
    keepFor: (db) => availability.keepFor(db, apiKey, keys),
    clearPast: (db) => availability.clearPast(db),
    pause: (db) => availability.pause(db, apiKey, 1),
  },
} satisfies {
  candidates: CallsOf<typeof candidates, Db>
  restaurants: CallsOf<typeof restaurants, Db>
  menus: CallsOf<typeof menus, Db>
  availability: CallsOf<typeof availability, Db>
}

/** Operators go through all restaurants, rarely and page by page. */
const may: Readonly<Record<string, string[]>> = { 'restaurants.listRestaurants': ['restaurants'] }

let database: Awaited<ReturnType<typeof openDatabase<Database>>>

beforeAll(async () => {
  database = await openDatabase<Database>('catalog')
  const { db, pool } = database
  await restaurants.putRestaurant(db, { ...ajanta, zones: [aZone({ maxRadius: 3 })] })
  await menus.putMenu(db, apiKey, menu)
  await fillRestaurants(pool, 'public', { count: RESTAURANTS, like: apiKey })
})
afterAll(() => database.close())

test.each(namedCalls<Db>(calls))(
  '%s reads no table from one end to the other that grows with restaurants',
  async (name, call) => {
    const whole = await database.readsWhole(call)
    expect(whole.filter((table) => growing.includes(table) && !may[name]?.includes(table))).toEqual([])
  },
)
