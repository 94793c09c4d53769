import type { Address, Restaurant, RestaurantSearch, RestaurantSearchTest } from '@platter/contracts'
import { Problem, type Call } from '@platter/kit'
import { placeRecord, restaurantRecord } from '#/domain/restaurant-record.ts'
import { nearestFirst, nextPage, pageOf, ranked, readCursor, type Cursor } from '#/domain/search.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import type { Db } from '#/store/database.ts'
import { findCandidates } from '#/store/candidates.ts'
import type { HeldRestaurants } from '#/store/held-restaurants.ts'
import { whereIs } from '#/whereabouts.ts'

export type SearchCall = Call<typeof RestaurantSearch> | Call<typeof RestaurantSearchTest>
export type SearchParts = { db: Db; geocoder: Geocoder; held: HeldRestaurants }
/** Among which restaurants, and whether the place selects them or only puts them in order. */
type Scope = 'live' | 'test' | 'all-test'
type Found = { address: Address; restaurants: Restaurant[] }

/** restaurant/search and restaurant/search-test. */
export async function searchRestaurants(
  { db, geocoder, held }: SearchParts,
  call: SearchCall,
  scope: Scope,
): Promise<Found> {
  const { query } = call
  const now = Date.now()
  const after = cursorIn(query.cursor)
  const wanted = {
    place: await whereIs(geocoder, query),
    method: query.method,
    pickupRadiusMiles: query['pickup-radius'],
    at: after?.at ?? now,
  }
  const isAll = scope === 'all-test'
  const candidates = await findCandidates(db, held, {
    ...wanted,
    place: isAll ? null : wanted.place,
    isTest: scope !== 'live',
    words: query.search,
  })
  const found = isAll ? nearestFirst(candidates, wanted.place) : ranked(candidates, wanted)
  const { page, next } = pageOf(found, { after, limit: query.limit, at: wanted.at })
  if (next) call.setHeader('link', `<${nextPage(call.url, next)}>; rel="next"`)
  const restaurants = await held.find(page)
  const { place } = wanted
  return {
    address: placeRecord(place),
    restaurants: restaurants.map((restaurant) => restaurantRecord(restaurant, { place, now })),
  }
}

function cursorIn(text: string | undefined): Cursor | null {
  if (text === undefined) return null
  const cursor = readCursor(text)
  if (cursor) return cursor
  const detail = 'cursor is not one from a Link header.'
  throw Problem.of([{ pointer: 'query/cursor', code: 'invalid-field', detail }])
}
