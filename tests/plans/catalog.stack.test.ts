import { afterAll, beforeAll, expect, test } from 'vitest'
import { ajanta, aZone, korma } from '../../services/catalog/src/testing/ajanta.ts'
import * as overrides from '../../services/catalog/src/store/availability-overrides.ts'
import { postgresCandidates, type CandidateStore } from '../../services/catalog/src/store/candidates.ts'
import { postgresMenus, type MenuStore } from '../../services/catalog/src/store/menus.ts'
import { RestaurantCache } from '../../services/catalog/src/store/restaurant-cache.ts'
import { postgresRestaurants, type RestaurantStore } from '../../services/catalog/src/store/restaurants.ts'
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
const criteria = {
  isTestRestaurant: false,
  words: ['korma'],
  place,
  method: 'both',
  pickupRadiusMiles: 5,
} as const
const menu = [{ apiKey: 'mains', name: 'Mains', description: null, items: [korma] }]
const keys = { item: { all: [korma.apiKey], unavailable: [] }, choice: { all: [], unavailable: [] } }

const { postgresAvailability } = overrides

const calls = {
  candidates: {
    find: async (db) => {
      const candidates = postgresCandidates(db, new RestaurantCache(postgresRestaurants(db)))
      for (const method of ['pickup', 'delivery', 'both'] as const)
        await candidates.find({ ...criteria, method })
    },
  },
  restaurants: {
    find: (db) => postgresRestaurants(db).find(apiKey),
    findForQuote: (db) =>
      postgresRestaurants(db).findForQuote({ restaurantApiKey: apiKey, itemApiKeys: [korma.apiKey] }),
    list: (db) => postgresRestaurants(db).list({ before: null, limit: 100 }),
    put: (db) => postgresRestaurants(db).put(ajanta),
  },
  menus: {
    version: (db) => postgresMenus(db).version(apiKey),
    find: (db) => postgresMenus(db).find(apiKey),
    findWithOverrides: (db) => postgresMenus(db).findWithOverrides(apiKey),
    findCustomizations: (db) => postgresMenus(db).findCustomizations(korma.apiKey),
    put: (db) => postgresMenus(db).put(apiKey, menu),
  },
  availability: {
    override: (db) => {
      const override = { kind: 'item', apiKey: korma.apiKey, available: false, until: null } as const
      return db.transaction().execute((trx) => postgresAvailability(trx).override(apiKey, override))
    },
    pause: (db) => postgresAvailability(db).pause(apiKey, 1),
  },
  overrides: {
    deleteEndedOverrides: (db) => overrides.deleteEndedOverrides(db, apiKey, keys),
    clearExpired: (db) => overrides.clearExpired(db),
  },
} satisfies {
  candidates: CallsOf<CandidateStore>
  restaurants: CallsOf<RestaurantStore>
  menus: CallsOf<MenuStore>
  availability: CallsOf<overrides.AvailabilityStore>
  overrides: CallsOf<typeof overrides>
}

/** Operators list all restaurants rarely, and page by page. */
const allowed: Readonly<Record<string, string[]>> = { 'restaurants.list': ['restaurants_by_age'] }

let database: Awaited<ReturnType<typeof openDatabase>>

beforeAll(async () => {
  database = await openDatabase('catalog')
  const { db, pool } = database
  await postgresRestaurants(db).put({ ...ajanta, zones: [aZone({ maxRadius: 3 })] })
  await postgresMenus(db).put(apiKey, menu)
  await fillRestaurants(pool, 'public', { count: RESTAURANTS, like: apiKey })
})
afterAll(() => database.close())

test.each(namedCalls(calls))(
  '%s does not read the whole of a table that grows with restaurants',
  async (name, call) => {
    const whole = await database.readsWhole(call, allowed[name])
    expect(whole.filter((table) => growing.includes(table))).toEqual([])
  },
)
