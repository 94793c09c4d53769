import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ajanta, aZone, korma } from '../../services/catalog/src/testing/ajanta.ts'
import * as overrides from '../../services/catalog/src/store/availability-overrides.ts'
import { postgresCandidates, type CandidateStore } from '../../services/catalog/src/store/candidates.ts'
import { postgresMenus, type MenuStore } from '../../services/catalog/src/store/menus.ts'
import { RestaurantCache } from '../../services/catalog/src/store/restaurant-cache.ts'
import { postgresRestaurants, type RestaurantStore } from '../../services/catalog/src/store/restaurants.ts'
import type { Db, Tables } from '../../services/catalog/src/store/tables.ts'
import { insertCopies, key } from './copies.ts'
import { namedCalls, openDatabase, type CallsOf } from './plans.ts'

const RESTAURANTS = 2_000
const ITEMS = 20
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
const keys = { item: { all: [korma.apiKey], off: [] }, choice: { all: [], off: [] } }

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
    retainFor: (db) => overrides.retainFor(db, apiKey, keys),
    clearExpired: (db) => overrides.clearExpired(db),
  },
} satisfies {
  candidates: CallsOf<CandidateStore, Db>
  restaurants: CallsOf<RestaurantStore, Db>
  menus: CallsOf<MenuStore, Db>
  availability: CallsOf<overrides.AvailabilityStore, Db>
  overrides: CallsOf<typeof overrides, Db>
}

/** Operators list all restaurants rarely, and page by page. */
const allowed: Readonly<Record<string, string[]>> = { 'restaurants.list': ['restaurants'] }

/** Inserts restaurants across the entire country, copied from Ajanta. Each has a zone around it, a category and twenty items. */
async function insertRestaurants(pool: pg.Pool): Promise<void> {
  // A low-discrepancy sequence: the spread is even, and equal in every run.
  const latitude = `(30 + 15 * (n * 0.7548776662 % 1))`
  const longitude = `(-120 + 40 * (n * 0.5698402910 % 1))`
  const restaurant_api_key = key('restaurant', 'n')
  const ofAjanta = `restaurant_api_key = '${apiKey}'`
  await insertCopies(pool, 'restaurants', {
    where: `api_key = '${apiKey}'`,
    count: RESTAURANTS,
    changes: { api_key: restaurant_api_key, latitude, longitude, name: `'Restaurant ' || n` },
  })
  await insertCopies(pool, 'delivery_zones', {
    where: ofAjanta,
    count: RESTAURANTS,
    changes: {
      api_key: key('zone', 'n'),
      restaurant_api_key,
      bounds: `format('(%s,%s),(%s,%s)', ${longitude} + 0.06, ${latitude} + 0.05, ${longitude} - 0.06, ${latitude} - 0.05)`,
    },
  })
  await insertCopies(pool, 'menu_categories', {
    where: ofAjanta,
    count: RESTAURANTS,
    changes: { api_key: key('category', 'n'), restaurant_api_key },
  })
  const nth = `(1 + (n - 1) / ${ITEMS})`
  await insertCopies(pool, 'menu_items', {
    where: ofAjanta,
    count: RESTAURANTS * ITEMS,
    changes: {
      api_key: key('item', 'n'),
      restaurant_api_key: key('restaurant', nth),
      category_api_key: key('category', nth),
      position: `(n - 1) % ${ITEMS}`,
    },
  })
  await pool.query('vacuum analyze')
}

let database: Awaited<ReturnType<typeof openDatabase<Tables>>>

beforeAll(async () => {
  database = await openDatabase<Tables>('catalog')
  const { db, pool } = database
  await postgresRestaurants(db).put({ ...ajanta, zones: [aZone({ maxRadius: 3 })] })
  await postgresMenus(db).put(apiKey, menu)
  await insertRestaurants(pool)
})
afterAll(() => database.close())

test.each(namedCalls<Db>(calls))(
  '%s does not read the whole of a table that grows with restaurants',
  async (name, call) => {
    const whole = await database.readsWhole(call)
    expect(whole.filter((table) => growing.includes(table) && !allowed[name]?.includes(table))).toEqual([])
  },
)
