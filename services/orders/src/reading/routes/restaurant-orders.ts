import type { RestaurantOrders } from '@platter/contracts'
import { nextPage, readCursor, type Handler } from '@platter/kit'
import { z } from 'zod'
import { restaurantOrderRecord } from '#/domain/restaurant-order.ts'
import * as restaurantOrders from '#/store/restaurant-orders.ts'
import type { Db } from '#/store/tables.ts'

/** The id of the last order of the page before. */
const Cursor = z.int()

export const listRestaurantOrders =
  (db: Db, acceptWithinMs: number): Handler<typeof RestaurantOrders> =>
  async ({ query: { open, limit, cursor }, principal, url, setHeader }) => {
    const before = cursor === undefined ? null : readCursor(cursor, Cursor)
    const { orders, hasMore } = await restaurantOrders.list(db, principal.restaurantApiKey, {
      open,
      before,
      limit,
    })
    if (hasMore) setHeader('link', nextPage(url, orders.at(-1)?.order.id))
    return orders.map((order) => restaurantOrderRecord(order, acceptWithinMs))
  }
