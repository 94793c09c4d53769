import type { RestaurantOrders } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { recordWithAcceptBy } from '#/domain/restaurant-order.ts'
import type { AttendanceKeeper } from '#/attendance/keeper.ts'
import type { Deps as Reading } from '#/reading/find-restaurant-order.ts'
import { orderPage } from '#/order-page.ts'

type Deps = Reading & { attendance: Pick<AttendanceKeeper, 'recordSightingInBackground'> }

export const listRestaurantOrders =
  ({ restaurantOrders, startWithinMs, attendance }: Deps): Handler<typeof RestaurantOrders> =>
  async (call) => {
    const { restaurantApiKey } = call.principal
    const { open } = call.query
    attendance.recordSightingInBackground(restaurantApiKey)
    const orders = await orderPage(call, (range) =>
      restaurantOrders.list(restaurantApiKey, { open, ...range }),
    )
    return orders.map((order) => recordWithAcceptBy(order, startWithinMs))
  }
