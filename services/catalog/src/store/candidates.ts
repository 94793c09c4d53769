import { batched, type Db } from '@platter/kit'
import { sql } from 'kysely'
import { boxAround, type Box } from '#/domain/geo.ts'
import { zipOf } from '#/domain/place.ts'
import { folded, type Candidate, type Criteria } from '#/domain/search.ts'
import { DEFAULT_RADIUS_MILES } from '#/domain/zones.ts'
import { pausedUntil } from '#/store/availability-overrides.ts'
import { isAttended } from '#/store/attendance.ts'
import type { CurrentRestaurant, RestaurantCache } from '#/store/restaurant-cache.ts'
import { CANDIDATE, NO_ZONES, version } from '#/store/restaurants.ts'

type Text = { isTestRestaurant: boolean; words: readonly string[] }

type Search = Omit<Criteria, 'at' | 'after'> & Text

export type CandidateStore = ReturnType<typeof postgresCandidates>

export const postgresCandidates = (db: Db, cache: RestaurantCache) => ({
  /** Finds a superset of a search's result; `domain/search.ts` selects and ranks. */
  async find(search: Search): Promise<(Candidate & CurrentRestaurant)[]> {
    const { isTestRestaurant, words, place, method, pickupRadiusMiles } = search
    const text = { isTestRestaurant, words: words.map(folded) }
    if (!place) return findEverywhere(db, text)
    const { latitude, longitude } = place.point
    const radius = Math.max(
      method === 'delivery' ? 0 : pickupRadiusMiles,
      method === 'pickup' ? 0 : DEFAULT_RADIUS_MILES,
    )
    const delivered = method === 'pickup' ? null : { latitude, longitude, zip: zipOf(place.zip) }
    return cache.find(await findNear(db, { ...text, ...boxAround(place.point, radius), ...delivered }))
  },
})

/** Without a place every restaurant is a candidate, many more than the cache contains. Zones are not needed then. */
async function findEverywhere(
  db: Db,
  { isTestRestaurant, words }: Text,
): Promise<(Candidate & CurrentRestaurant)[]> {
  const { rows } = await sql<Candidate & CurrentRestaurant>`
    select ${CANDIDATE}, ${NO_ZONES} from restaurants
    where is_test = ${isTestRestaurant} and ${containsWords(sql`${words}::text[]`)}`.execute(db)
  return rows
}

const containsWords = (words: ReturnType<typeof sql>) => sql`not exists (
  select from unnest(${words}) as word where strpos(search_text || E'\n' || menu_text, word) = 0)`

type Near = Text & Box & { latitude?: number; longitude?: number; zip?: string }

/**
 * Uses three indexes: restaurants around the place, zones around it, and zones with its ZIP code. The zones matter for deliveries
 * only. Searches in one turn of the event loop share the statement. `limit 1` keeps the lookup of each restaurant by its key.
 * PostgreSQL cannot estimate how few restaurants are near, and would read all of them once for all searches.
 */
const findNear = batched({
  run: async (db: Db, searches: readonly Near[]): Promise<CurrentRestaurant[][]> => {
    const numbered = JSON.stringify(searches.map((search, number) => ({ ...search, number })))
    const { rows } = await sql<CurrentRestaurant & { number: number }>`
      select search.number, found.* from jsonb_to_recordset(${numbered}::jsonb) as search (
        number integer, "isTestRestaurant" boolean, words text[], south float8, north float8, west float8, east float8,
        latitude float8, longitude float8, zip text)
      cross join lateral (
        select api_key from restaurants
        where latitude between search.south and search.north and longitude between search.west and search.east
        union select restaurant_api_key from delivery_zones
        where bounds @> box(point(search.longitude, search.latitude), point(search.longitude, search.latitude))
        union select restaurant_api_key from delivery_zones where zips @> array[search.zip]
      ) as near
      cross join lateral (
        select api_key as "apiKey", ${version} as version, ${pausedUntil} as "pausedUntil",
          ${isAttended} as "isAttended" from restaurants
        where api_key = near.api_key and is_test = search."isTestRestaurant"
          and ${containsWords(sql`search.words`)} limit 1
      ) as found`.execute(db)
    const found = searches.map((): CurrentRestaurant[] => [])
    for (const { number, ...restaurant } of rows) found[number]?.push(restaurant)
    return found
  },
})
