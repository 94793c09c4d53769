import { batched } from '@platter/kit'
import { sql, type ExpressionBuilder } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { Availability, type Said } from '#/domain/availability.ts'
import { boxAround, type Box } from '#/domain/geo.ts'
import type { Item } from '#/domain/menu.ts'
import { zipOf, type Place } from '#/domain/place.ts'
import { searchText } from '#/domain/restaurant-input.ts'
import type { KeptRestaurant, Zone } from '#/domain/restaurant.ts'
import { folded, type Candidate, type SearchMethod } from '#/domain/search.ts'
import { boundsOf, DEFAULT_RADIUS_MILES } from '#/domain/zones.ts'
import { pausedUntil, saidNow } from './availability.ts'
import { KeysTaken, requireInserted, type Database, type Db, type Written } from './database.ts'
import { ITEM } from './menus.ts'
import { inTransaction } from './validating.ts'

const CANDIDATE = [
  'restaurants.api_key as apiKey',
  'restaurants.name',
  'restaurants.latitude',
  'restaurants.longitude',
  'restaurants.hours',
  'restaurants.time_zone as timezone',
  'restaurants.offers_pickup as offersPickup',
  'restaurants.offers_delivery as offersDelivery',
  'restaurants.delivery_min as deliveryMin',
  'restaurants.delivery_price as deliveryPrice',
  pausedUntil.as('pausedUntil'),
] as const

const WHOLE = [
  ...CANDIDATE,
  'restaurants.logo_url as logoUrl',
  'restaurants.url',
  'restaurants.street_address as streetAddress',
  'restaurants.city',
  'restaurants.state',
  'restaurants.zip',
  'restaurants.phone',
  'restaurants.food_types as foodTypes',
  'restaurants.min_free_delivery as minFreeDelivery',
  'restaurants.tax_rate_ppm as taxRatePpm',
  'restaurants.accepts_cash as acceptsCash',
  'restaurants.accepts_card as acceptsCard',
  'restaurants.is_test as isTest',
  'restaurants.min_wait_minutes as minWaitMinutes',
  'restaurants.max_wait_minutes as maxWaitMinutes',
] as const

const zones = (eb: ExpressionBuilder<Database, 'restaurants'>) =>
  jsonArrayFrom(
    eb
      .selectFrom('delivery_zones as zone')
      .select([
        'zone.api_key as apiKey',
        'zone.description',
        'zone.zips',
        'zone.polygon as points',
        'zone.hole as holePoints',
        'zone.max_radius_miles as maxRadius',
        'zone.delivery_min as deliveryMin',
        'zone.delivery_price as deliveryPrice',
      ])
      .whereRef('zone.restaurant_api_key', '=', 'restaurants.api_key')
      .orderBy('zone.position'),
  ).as('zones')

/** Where nobody asks for zones: 12 ms for 2,100 restaurants instead of 31. */
const NO_ZONES = sql<Zone[]>`'[]'::json`.as('zones')

// Read -----------------------------------------------------------------------------------------------------

export const findRestaurant = (db: Db, apiKey: string): Promise<KeptRestaurant | undefined> =>
  db
    .selectFrom('restaurants')
    .select(WHOLE)
    .select(zones)
    .where('restaurants.api_key', '=', apiKey)
    .executeTakeFirst()

/** In the order of the keys. */
export async function findRestaurants(db: Db, apiKeys: readonly string[]): Promise<KeptRestaurant[]> {
  if (apiKeys.length === 0) return []
  const rows = await db
    .selectFrom('restaurants')
    .select(WHOLE)
    .select(zones)
    .where('restaurants.api_key', '=', sql<string>`any(${apiKeys})`)
    .execute()
  const byKey = new Map(rows.map((row) => [row.apiKey, row]))
  return apiKeys.flatMap((key) => byKey.get(key) ?? [])
}

/** Where a page of the operator's list ends: the creation in microseconds, and what tells those of one moment apart. */
export type Position = { at: number; apiKey: string }

/** Newest first. `before` is where the page before ended. */
export async function listRestaurants(
  db: Db,
  { before, limit }: { before: Position | null; limit: number },
): Promise<{ restaurant: KeptRestaurant; position: Position }[]> {
  const rows = await db
    .selectFrom('restaurants')
    .select(WHOLE)
    .select([NO_ZONES, sql<number>`(extract(epoch from created_at) * 1000000)::int8`.as('at')])
    .$if(before !== null, (query) =>
      query.where(
        sql<boolean>`(created_at, api_key) <
          (timestamptz 'epoch' + ${before?.at}::int8 * interval '1 microsecond', ${before?.apiKey})`,
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('api_key', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ at, ...restaurant }) => ({ restaurant, position: { at, apiKey: restaurant.apiKey } }))
}

type ForQuote = { restaurantApiKey: string; itemApiKeys: readonly string[] }

/**
 * All that a quote needs, in one round trip: the restaurant, and those of the items that are its own. Quotes that are
 * asked for at the same time share the statement, so that there may be other items of the restaurant as well.
 */
export const findForQuote = batched({
  run: async (
    db: Db,
    asked: readonly ForQuote[],
  ): Promise<{ restaurant: KeptRestaurant | null; items: Map<string, Item> }[]> => {
    const rows = await db
      .selectFrom('restaurants')
      .select(WHOLE)
      .select(zones)
      .select((eb) =>
        jsonArrayFrom(
          eb
            .selectFrom('menu_items as item')
            .select(ITEM)
            .whereRef('item.restaurant_api_key', '=', 'restaurants.api_key')
            .where('item.api_key', '=', sql<string>`any(${asked.flatMap(({ itemApiKeys }) => itemApiKeys)})`),
        ).as('items'),
      )
      .select(saidNow)
      .where(
        'restaurants.api_key',
        '=',
        sql<string>`any(${asked.map(({ restaurantApiKey }) => restaurantApiKey)})`,
      )
      .execute()
    const found = new Map(rows.map((row) => [row.apiKey, { restaurant: row, items: itemsOf(row) }]))
    const nothing = { restaurant: null, items: new Map<string, Item>() }
    return asked.map(({ restaurantApiKey }) => found.get(restaurantApiKey) ?? nothing)
  },
})

function itemsOf({ said, items }: { said: readonly Said[]; items: readonly Item[] }): Map<string, Item> {
  const availability = new Availability(said)
  return new Map(items.map((item) => [item.apiKey, availability.ofItem(item)]))
}

/** What a search looks through: those that may serve the place, and some more, which the domain sorts out. */
export type Sought = {
  isTest: boolean
  words: readonly string[]
  place: Place | null
  method: SearchMethod
  pickupRadiusMiles: number
}

export function findCandidates(db: Db, sought: Sought): Promise<Candidate[]> {
  const { place, isTest } = sought
  const words = sought.words.map(folded)
  return db
    .selectFrom('restaurants')
    .select(CANDIDATE)
    .select((eb) => (place ? zones(eb) : NO_ZONES))
    .where('is_test', '=', isTest)
    .$if(place !== null, (query) =>
      query.where(sql<boolean>`restaurants.api_key in (${near(sought, place)})`),
    )
    .$if(words.length > 0, (query) =>
      query.where(
        sql<boolean>`not exists (
          select from unnest(${words}::text[]) as word
          where strpos(search_text || E'\n' || menu_text, word) = 0
        )`,
      ),
    )
    .execute()
}

/** Three indexes, one each: those around the place, those with a zone around it, those that name its ZIP code. */
function near({ method, pickupRadiusMiles }: Sought, place: Place | null) {
  const point = place?.point ?? { latitude: 0, longitude: 0 }
  const pickup = method === 'delivery' ? 0 : pickupRadiusMiles
  const delivery = method === 'pickup' ? 0 : DEFAULT_RADIUS_MILES
  const { south, north, west, east } = boxAround(point, Math.max(pickup, delivery))
  const around = sql`
    select api_key from restaurants
    where latitude between ${south} and ${north} and longitude between ${west} and ${east}`
  if (method === 'pickup') return around
  const at = sql`point(${point.longitude}, ${point.latitude})`
  return sql`${around}
    union select restaurant_api_key from delivery_zones where bounds @> box(${at}, ${at})
    union select restaurant_api_key from delivery_zones where zips @> array[${zipOf(place?.zip ?? '')}::text]`
}

// Write ----------------------------------------------------------------------------------------------------

/** Creates or replaces the restaurant with its zones; the menu stays as it is. */
export async function putRestaurant(
  db: Db,
  restaurant: KeptRestaurant,
  options = { validateOnly: false },
): Promise<Written<never>> {
  const { api_key, ...columns } = rowOf(restaurant)
  try {
    await inTransaction(db, options, async (trx) => {
      await trx
        .insertInto('restaurants')
        .values({ api_key, ...columns })
        .onConflict((conflict) => conflict.column('api_key').doUpdateSet(columns))
        .execute()
      await trx.deleteFrom('delivery_zones').where('restaurant_api_key', '=', api_key).execute()
      await insertZones(trx, restaurant)
    })
    return { kind: 'written' }
  } catch (error) {
    if (error instanceof KeysTaken) return { kind: 'taken', keys: error.keys }
    throw error
  }
}

const rowOf = (restaurant: KeptRestaurant) => ({
  api_key: restaurant.apiKey,
  name: restaurant.name,
  logo_url: restaurant.logoUrl,
  url: restaurant.url,
  street_address: restaurant.streetAddress,
  city: restaurant.city,
  state: restaurant.state,
  zip: restaurant.zip,
  latitude: restaurant.latitude,
  longitude: restaurant.longitude,
  phone: restaurant.phone,
  food_types: restaurant.foodTypes,
  delivery_min: restaurant.deliveryMin,
  delivery_price: restaurant.deliveryPrice,
  min_free_delivery: restaurant.minFreeDelivery,
  tax_rate_ppm: restaurant.taxRatePpm,
  accepts_cash: restaurant.acceptsCash,
  accepts_card: restaurant.acceptsCard,
  offers_pickup: restaurant.offersPickup,
  offers_delivery: restaurant.offersDelivery,
  is_test: restaurant.isTest,
  min_wait_minutes: restaurant.minWaitMinutes,
  max_wait_minutes: restaurant.maxWaitMinutes,
  hours: JSON.stringify(restaurant.hours),
  time_zone: restaurant.timezone,
  search_text: searchText(restaurant),
})

/** One statement whatever their number. In order of the keys, so that two writers never wait for each other. */
async function insertZones(trx: Db, restaurant: KeptRestaurant): Promise<void> {
  if (restaurant.zones.length === 0) return
  const rows = restaurant.zones.map((zone, position) => {
    const box: Partial<Box> = boundsOf(zone, restaurant) ?? {}
    return { ...zone, ...box, position }
  })
  const { rows: inserted } = await sql<{ api_key: string }>`
    insert into delivery_zones (api_key, restaurant_api_key, position, description, zips, polygon, hole,
      max_radius_miles, delivery_min, delivery_price, bounds)
    select "apiKey", ${restaurant.apiKey}, position, description, zips, points, "holePoints",
      "maxRadius", "deliveryMin", "deliveryPrice", box(point(west, south), point(east, north))
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as zone (
      "apiKey" text, position integer, description text, zips text[], points jsonb, "holePoints" jsonb,
      "maxRadius" double precision, "deliveryMin" integer, "deliveryPrice" integer,
      west double precision, south double precision, east double precision, north double precision)
    order by "apiKey"
    on conflict (api_key) do nothing
    returning api_key`.execute(trx)
  requireInserted(
    rows.map(({ apiKey }) => apiKey),
    inserted,
  )
}
