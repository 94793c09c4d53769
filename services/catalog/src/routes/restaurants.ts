import { ApiKey, type Restaurants } from '@platter/contracts'
import { nextPage, readCursor, type Handler } from '@platter/kit'
import { z } from 'zod'
import { restaurantRecord } from '#/domain/restaurant-record.ts'
import type { RestaurantStore } from '#/store/restaurants.ts'

type Deps = { restaurants: Pick<RestaurantStore, 'list'> }

const Cursor = z.object({ at: z.int(), apiKey: ApiKey })

/** All restaurants, for the operator. */
export const listRestaurants =
  ({ restaurants }: Deps): Handler<typeof Restaurants> =>
  async ({ query: { limit, cursor }, url, setHeader }) => {
    const before = cursor === undefined ? null : readCursor(cursor, Cursor)
    const found = await restaurants.list({ before, limit: limit + 1 })
    const page = found.slice(0, limit)
    if (found.length > limit) setHeader('link', nextPage(url, page.at(-1)?.position))
    return page.map(({ restaurant }) => restaurantRecord(restaurant, { place: null, now: Date.now() }))
  }
