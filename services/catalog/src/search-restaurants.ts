import {
  ApiKey,
  type Address,
  type Restaurant,
  type RestaurantSearch,
  type RestaurantSearchTest,
} from '@platter/contracts'
import { page, type Call } from '@platter/kit'
import { z } from 'zod'
import { placeRecord, restaurantRecord } from '#/domain/restaurant-record.ts'
import { nearestFirst, nextRestaurants, ranked } from '#/domain/search.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import { requirePlace } from '#/query-place.ts'
import type { CandidateStore } from '#/store/candidates.ts'
import type { RestaurantCache } from '#/store/restaurant-cache.ts'

export type Deps = { candidates: CandidateStore; restaurantCache: RestaurantCache; geocoder: Geocoder }
type SearchCall = Call<typeof RestaurantSearch> | Call<typeof RestaurantSearchTest>
/** The searched restaurants. In `all-test` the place only determines the order. */
type Scope = 'live' | 'test' | 'all-test'

/** The latest time that a Date can represent. */
const LATEST_DATE_MS = 8.64e15
/** The fields of the domain's `Cursor`. */
export const Cursor = z.tuple([z.int().min(0).max(LATEST_DATE_MS), z.int().min(0), ApiKey, z.boolean()])

/** restaurant/search and restaurant/search-test. */
export async function searchRestaurants(
  { candidates, restaurantCache, geocoder }: Deps,
  call: SearchCall,
  scope: Scope,
): Promise<{ address: Address; restaurants: Restaurant[] }> {
  const { query } = call
  const now = Date.now()
  const place = await requirePlace(geocoder, query)
  const isAll = scope === 'all-test'
  const found = await page(
    call,
    Cursor,
    async ({ before: after, limit }) => {
      const criteria = {
        place,
        method: query.method,
        pickupRadiusMiles: query['pickup-radius'],
        at: after?.[0] ?? now,
        after,
      }
      const matching = await candidates.find({
        ...criteria,
        place: isAll ? null : place,
        isTestRestaurant: scope !== 'live',
        words: query.search,
      })
      const inOrder = isAll ? nearestFirst(matching, place) : ranked(matching, criteria)
      return nextRestaurants(inOrder, { after, limit, at: criteria.at })
    },
    ({ position }) => position,
  )
  const restaurants = await restaurantCache.find(found.map(({ restaurant }) => restaurant))
  return {
    address: placeRecord(place),
    restaurants: restaurants.map((restaurant) => restaurantRecord(restaurant, { place, now })),
  }
}
