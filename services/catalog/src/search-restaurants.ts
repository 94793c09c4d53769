import {
  ApiKey,
  type Address,
  type Restaurant,
  type RestaurantSearch,
  type RestaurantSearchTest,
} from '@platter/contracts'
import { nextPage, readCursor, type Call } from '@platter/kit'
import { z } from 'zod'
import { placeRecord, restaurantRecord } from '#/domain/restaurant-record.ts'
import { nearestFirst, pageOf, ranked } from '#/domain/search.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import { requirePlace } from '#/query-place.ts'
import type { CandidateStore } from '#/store/candidates.ts'
import type { RestaurantCache } from '#/store/restaurant-cache.ts'

export type Deps = { candidates: CandidateStore; restaurantCache: RestaurantCache; geocoder: Geocoder }
export type SearchCall = Call<typeof RestaurantSearch> | Call<typeof RestaurantSearchTest>
/** Which restaurants are searched; in `all-test` the place only orders them. */
type Scope = 'live' | 'test' | 'all-test'

/** The latest time that a Date can represent. */
const LATEST_DATE_MS = 8.64e15
/** The fields of the domain's `Cursor`. */
export const Cursor = z.tuple([z.int().min(0).max(LATEST_DATE_MS), z.int().min(0), ApiKey])

/** restaurant/search and restaurant/search-test. */
export async function searchRestaurants(
  { candidates, restaurantCache, geocoder }: Deps,
  { query, url, setHeader }: SearchCall,
  scope: Scope,
): Promise<{ address: Address; restaurants: Restaurant[] }> {
  const now = Date.now()
  const after = query.cursor === undefined ? null : readCursor(query.cursor, Cursor)
  const place = await requirePlace(geocoder, query)
  const criteria = {
    place,
    method: query.method,
    pickupRadiusMiles: query['pickup-radius'],
    at: after?.[0] ?? now,
  }
  const isAll = scope === 'all-test'
  const found = await candidates.find({
    ...criteria,
    place: isAll ? null : place,
    isTestRestaurant: scope !== 'live',
    words: query.search,
  })
  const inOrder = isAll ? nearestFirst(found, place) : ranked(found, criteria)
  const { page, next } = pageOf(inOrder, { after, limit: query.limit, at: criteria.at })
  if (next) setHeader('link', nextPage(url, next))
  const restaurants = await restaurantCache.find(page)
  return {
    address: placeRecord(place),
    restaurants: restaurants.map((restaurant) => restaurantRecord(restaurant, { place, now })),
  }
}
