import { ApiKey, Restaurants } from '@platter/contracts'
import { nextPage, readCursor } from '@platter/kit'
import { z } from 'zod'
import { restaurantRecord } from '#/domain/restaurant-record.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'
import { listRestaurants } from '#/store/restaurants.ts'

const Cursor = z.object({ at: z.int(), apiKey: ApiKey })

/** Every restaurant, for the operator. */
export const restaurants = (route: Route, db: Db) =>
  route(Restaurants, async ({ query: { limit, cursor }, url, setHeader }) => {
    const before = cursor === undefined ? null : readCursor(cursor, Cursor)
    const found = await listRestaurants(db, { before, limit: limit + 1 })
    const page = found.slice(0, limit)
    if (found.length > limit) setHeader('link', nextPage(url, page.at(-1)?.position))
    return page.map(({ restaurant }) => restaurantRecord(restaurant, { place: null, now: Date.now() }))
  })
