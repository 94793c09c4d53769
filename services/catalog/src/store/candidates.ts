import { prepared } from '@platter/kit/prepared'
import { sql } from 'kysely'
import { boxAround, type Box } from '#/domain/geo.ts'
import { zipOf, type Place } from '#/domain/place.ts'
import { folded, type Candidate, type SearchMethod } from '#/domain/search.ts'
import { DEFAULT_RADIUS_MILES } from '#/domain/zones.ts'
import type { Db } from './database.ts'
import { CANDIDATE, NO_ZONES, zones } from './restaurants.ts'

/** The search's first statement finds a superset of the result; `domain/search.ts` selects and ranks. */
export type Sought = {
  isTest: boolean
  words: readonly string[]
  place: Place | null
  method: SearchMethod
  pickupRadiusMiles: number
}

export async function findCandidates(db: Db, sought: Sought): Promise<Candidate[]> {
  const { isTest, place, method, pickupRadiusMiles } = sought
  const words = sought.words.map(folded)
  if (!place) return everywhere(db, { isTest, words })
  const { latitude, longitude } = place.point
  const radius = Math.max(
    method === 'delivery' ? 0 : pickupRadiusMiles,
    method === 'pickup' ? 0 : DEFAULT_RADIUS_MILES,
  )
  const box = boxAround(place.point, radius)
  if (method === 'pickup') return inBox(db, { isTest, words, ...box })
  return inBoxOrZone(db, { isTest, words, ...box, latitude, longitude, zip: zipOf(place.zip) })
}

type Wanted = { isTest: boolean; words: readonly string[] }

const withWords = (db: Db, { isTest, words }: Wanted) =>
  db
    .selectFrom('restaurants')
    .select(CANDIDATE)
    .where('is_test', '=', isTest)
    .where(
      sql<boolean>`not exists (
        select from unnest(${words}::text[]) as word
        where strpos(search_text || E'\n' || menu_text, word) = 0
      )`,
    )

const around = ({ south, north, west, east }: Box) => sql`
  select api_key from restaurants
  where latitude between ${south}::float8 and ${north}::float8 and longitude between ${west}::float8 and ${east}::float8`

const everywhere = prepared((db: Db, wanted: Wanted) => withWords(db, wanted).select(NO_ZONES))

const inBox = prepared((db: Db, wanted: Wanted & Box) =>
  withWords(db, wanted)
    .select(zones)
    .where(sql<boolean>`restaurants.api_key in (${around(wanted)})`),
)

/** Three indexes, one each: restaurants around the place, zones around it, and zones that name its ZIP code. */
const inBoxOrZone = prepared(
  (db: Db, wanted: Wanted & Box & { latitude: number; longitude: number; zip: string }) => {
    const point = sql`point(${wanted.longitude}, ${wanted.latitude})`
    return withWords(db, wanted)
      .select(zones)
      .where(
        sql<boolean>`restaurants.api_key in (${around(wanted)}
          union select restaurant_api_key from delivery_zones where bounds @> box(${point}, ${point})
          union select restaurant_api_key from delivery_zones where zips @> array[${wanted.zip}::text])`,
      )
  },
)
