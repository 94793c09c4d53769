import type { RestaurantOrders } from '@platter/contracts'
import { nextPage, readCursor, type Handler } from '@platter/kit'
import { recordWithAcceptBy } from '#/domain/restaurant-order.ts'
import type { AttendanceKeeper } from '#/attendance/keeper.ts'
import type { Deps as Reading } from '#/reading/find-restaurant-order.ts'
import { LastOrderId } from '#/store/order-pages.ts'

type Deps = Reading & { attendance: Pick<AttendanceKeeper, 'recordSightingInBackground'> }

export const listRestaurantOrders =
  ({ restaurantOrders, startWithinMs, attendance }: Deps): Handler<typeof RestaurantOrders> =>
  async ({ query: { open, limit, cursor }, principal, url, setHeader }) => {
    attendance.recordSightingInBackground(principal.restaurantApiKey)
    const before = readCursor(cursor, LastOrderId)
    const { orders, hasMore } = await restaurantOrders.list(principal.restaurantApiKey, {
      open,
      before,
      limit,
    })
    if (hasMore) setHeader('link', nextPage(url, orders.at(-1)?.id))
    return orders.map((order) => recordWithAcceptBy(order, startWithinMs))
  }
