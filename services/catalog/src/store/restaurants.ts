import { ApiKey } from '@platter/contracts'
import { batched, matched, type PageRange, type Db } from '@platter/kit'
import { microsecondsOf, momentOf } from '@platter/kit/postgres/epoch'
import { sql } from 'kysely'
import { z } from 'zod'
import { AvailabilityOverrides, type AvailabilityOverride } from '#/domain/availability-overrides.ts'
import type { Box } from '#/domain/geo.ts'
import type { Item } from '#/domain/menu.ts'
import type { Restaurant } from '#/domain/restaurant.ts'
import { restaurantText } from '#/domain/search.ts'
import { boundsOf } from '#/domain/zones.ts'
import { currentOverrides, pausedUntil } from '#/store/availability-overrides.ts'
import { ITEM } from '#/store/menus.ts'
import { isAttended } from '#/store/attendance.ts'
import { put, requireInserted } from '#/store/put.ts'

/** `version` changes with each change of the restaurant or its zones. */
export type VersionedRestaurant = Restaurant & { version: string }

/**
 * The end of a page in the operator's list: the creation time in microseconds. The apiKey orders restaurants with an equal time.
 */
export const Position = z.object({ at: z.int(), apiKey: ApiKey })
type Position = z.infer<typeof Position>

type Quoted = { restaurantApiKey: string; itemApiKeys: readonly string[] }

export type RestaurantStore = ReturnType<typeof postgresRestaurants>

/** The column of each field. */
const COLUMNS = {
  apiKey: 'api_key',
  name: 'name',
  logoUrl: 'logo_url',
  url: 'url',
  streetAddress: 'street_address',
  city: 'city',
  state: 'state',
  zip: 'zip',
  latitude: 'latitude',
  longitude: 'longitude',
  phone: 'phone',
  foodTypes: 'food_types',
  deliveryMin: 'delivery_min',
  deliveryPrice: 'delivery_price',
  minFreeDelivery: 'min_free_delivery',
  taxRatePpm: 'tax_rate_ppm',
  acceptsCash: 'accepts_cash',
  acceptsCard: 'accepts_card',
  offersPickup: 'offers_pickup',
  offersDelivery: 'offers_delivery',
  isTestRestaurant: 'is_test',
  customerCancelMinutes: 'customer_cancel_minutes',
  minWaitTime: 'min_wait_minutes',
  maxWaitTime: 'max_wait_minutes',
  hours: 'hours',
  timezone: 'time_zone',
  requireAttendance: 'require_attendance',
} as const satisfies Record<Exclude<keyof Restaurant, 'zones' | 'pausedUntil' | 'isAttended'>, string>

type Field = keyof typeof COLUMNS
const FIELDS = Object.keys(COLUMNS) as Field[]

// eslint-disable-next-line no-restricted-properties -- columns named above
const named = (name: string) => sql.ref(name)

/** Selects the columns of these fields, under the names of the fields. */
const columnsOf = (fields: readonly Field[]) =>
  sql.join(fields.map((field) => sql`restaurants.${named(COLUMNS[field])} as ${named(field)}`))

/** The transaction that wrote the row. Every release writes zones together with the row of their restaurant. */
export const version = sql`restaurants.xmin::text`

const CURRENT = sql`${pausedUntil} as "pausedUntil", ${isAttended} as "isAttended", ${version} as version`

const CANDIDATE_COLUMNS = columnsOf([
  'apiKey',
  'name',
  'latitude',
  'longitude',
  'hours',
  'timezone',
  'offersPickup',
  'offersDelivery',
  'deliveryMin',
  'deliveryPrice',
])
export const CANDIDATE = sql`${CANDIDATE_COLUMNS}, ${CURRENT}`

const WHOLE = sql`${columnsOf(FIELDS)}, ${CURRENT}`

const ZONES = sql`(select coalesce(json_agg(zone), '[]') from (
  select zone.api_key as "apiKey", zone.description, zone.zips, zone.polygon as points, zone.hole as "holePoints",
    zone.max_radius_miles as "maxRadius", zone.delivery_min as "deliveryMin", zone.delivery_price as "deliveryPrice"
  from delivery_zones as zone where zone.restaurant_api_key = restaurants.api_key
  order by zone.position) as zone) as zones`

/** For statements whose result does not depend on zones: 2,100 restaurants take 12 ms instead of 31 ms. */
export const NO_ZONES = sql`'[]'::json as zones`

export const postgresRestaurants = (db: Db) => ({
  find: (apiKey: string) => find(db, apiKey),

  /** Newest first. */
  async list({ before, limit }: PageRange<Position>) {
    const isAfter =
      before === null ? sql`true` : sql`(created_at, api_key) < (${momentOf(before.at)}, ${before.apiKey})`
    const { rows } = await sql<VersionedRestaurant & { at: number }>`
      select ${WHOLE}, ${NO_ZONES}, ${microsecondsOf('created_at')} as at from restaurants
      where ${isAfter} order by created_at desc, api_key desc limit ${limit}`.execute(db)
    return rows.map(({ at, ...restaurant }) => ({ restaurant, position: { at, apiKey: restaurant.apiKey } }))
  },

  findForQuote: (quoted: Quoted) => findForQuote(db, quoted),

  /** Creates or replaces the restaurant and its zones, and returns it. Menu, overrides and pause are unchanged. */
  put: (restaurant: Restaurant, options = { validateOnly: false }) =>
    put(db, options, async (trx) => {
      await sql`
        insert into restaurants (${WRITTEN})
        select ${WRITTEN} from jsonb_populate_record(null::restaurants, ${JSON.stringify(rowOf(restaurant))}::jsonb)
        on conflict (api_key) do update set (${CHANGED}) = row(${EXCLUDED})`.execute(trx)
      await sql`delete from delivery_zones where restaurant_api_key = ${restaurant.apiKey}`.execute(trx)
      await insertZones(trx, restaurant)
      const written = (await find(trx, restaurant.apiKey)) ?? restaurant
      return { kind: 'written', restaurant: written } as const
    }),
})

// Read -----------------------------------------------------------------------------------------------------

/** Calls in one turn of the event loop share the statement. */
const find = batched({
  run: async (db: Db, apiKeys: readonly string[]): Promise<(VersionedRestaurant | null)[]> => {
    const { rows } = await sql<VersionedRestaurant>`
      select ${WHOLE}, ${ZONES} from restaurants where restaurants.api_key = any(${apiKeys})`.execute(db)
    return matched(apiKeys, rows, ({ apiKey }) => apiKey)
  },
})

type QuoteRow = VersionedRestaurant & { overrides: AvailabilityOverride[]; items: Item[] }

/**
 * Reads the restaurant, and at least those requested items that belong to it, with their current availability. Quotes in one turn
 * share the statement, so `items` may contain items of another quote for the same restaurant.
 */
const findForQuote = batched({
  run: async (db: Db, quotes: readonly Quoted[]) => {
    const restaurantApiKeys = quotes.map(({ restaurantApiKey }) => restaurantApiKey)
    const requested = quotes.flatMap(({ itemApiKeys }) => itemApiKeys)
    const { rows } = await sql<QuoteRow>`
    select ${WHOLE}, ${ZONES}, ${currentOverrides}, (select coalesce(json_agg(item), '[]') from (
      select ${ITEM} from menu_items as item
      where item.restaurant_api_key = restaurants.api_key and item.api_key = any(${requested})) as item) as items
    from restaurants where restaurants.api_key = any(${restaurantApiKeys})`.execute(db)
    const found = new Map(rows.map((row) => [row.apiKey, { restaurant: row, items: itemsOf(row) }]))
    const nothing = { restaurant: null, items: new Map<string, Item>() }
    return quotes.map(({ restaurantApiKey }) => found.get(restaurantApiKey) ?? nothing)
  },
})

function itemsOf(row: { overrides: readonly AvailabilityOverride[]; items: readonly Item[] }) {
  const overrides = new AvailabilityOverrides(row.overrides)
  return new Map(row.items.map((item) => [item.apiKey, overrides.ofItem(item)]))
}

// Write ----------------------------------------------------------------------------------------------------

const rowOf = (restaurant: Restaurant) => ({
  ...Object.fromEntries(FIELDS.map((field) => [COLUMNS[field], restaurant[field]])),
  search_text: restaurantText(restaurant),
})

const WRITTEN_COLUMNS = [...Object.values(COLUMNS), 'search_text']
const CHANGED_COLUMNS = WRITTEN_COLUMNS.filter((column) => column !== COLUMNS.apiKey)
const WRITTEN = sql.join(WRITTEN_COLUMNS.map(named))
const CHANGED = sql.join(CHANGED_COLUMNS.map(named))
const EXCLUDED = sql.join(CHANGED_COLUMNS.map((column) => sql`excluded.${named(column)}`))

/** One statement for all zones, in the order of their keys: this prevents deadlocks between two writers. */
async function insertZones(trx: Db, restaurant: Restaurant): Promise<void> {
  if (restaurant.zones.length === 0) return
  const zones = restaurant.zones.map((zone, position) => {
    const box: Partial<Box> = boundsOf(zone, restaurant) ?? {}
    return { ...zone, ...box, position }
  })
  const { rows: inserted } = await sql<{ api_key: string }>`
    insert into delivery_zones (api_key, restaurant_api_key, position, description, zips, polygon, hole,
      max_radius_miles, delivery_min, delivery_price, bounds)
    select "apiKey", ${restaurant.apiKey}, position, description, zips, points, "holePoints",
      "maxRadius", "deliveryMin", "deliveryPrice", box(point(west, south), point(east, north))
    from jsonb_to_recordset(${JSON.stringify(zones)}::jsonb) as zone (
      "apiKey" text, position integer, description text, zips text[], points jsonb, "holePoints" jsonb,
      "maxRadius" double precision, "deliveryMin" integer, "deliveryPrice" integer,
      west double precision, south double precision, east double precision, north double precision)
    order by "apiKey"
    on conflict (api_key) do nothing
    returning api_key`.execute(trx)
  requireInserted(zones, inserted)
}
