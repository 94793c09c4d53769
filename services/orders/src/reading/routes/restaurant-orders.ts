import type { RestaurantOrders } from '@platter/contracts'
import { nextPage, readCursor, type Handler } from '@platter/kit'
import { z } from 'zod'
import { restaurantOrderRecord } from '#/domain/restaurant-order.ts'
import type { AttendanceKeeper } from '#/attendance/keeper.ts'
import type { Deps as Reading } from '#/reading/find-restaurant-order.ts'

type Deps = Reading & { attendance: Pick<AttendanceKeeper, 'seeInBackground'> }

/** The id of the last order of the previous page. */
const Cursor = z.int()

export const listRestaurantOrders =
  ({ restaurantOrders, acceptWithinMs, attendance }: Deps): Handler<typeof RestaurantOrders> =>
  async ({ query: { open, limit, cursor }, principal, url, setHeader }) => {
    attendance.seeInBackground(principal.restaurantApiKey)
    const before = cursor === undefined ? null : readCursor(cursor, Cursor)
    const { orders, hasMore } = await restaurantOrders.list(principal.restaurantApiKey, {
      open,
      before,
      limit,
    })
    if (hasMore) setHeader('link', nextPage(url, orders.at(-1)?.order.id))
    return orders.map((order) => restaurantOrderRecord(order, acceptWithinMs))
  }
