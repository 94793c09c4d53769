import type { RestaurantOrdersStream } from '@platter/contracts'
import { CONSOLE_HEADER, lastEventId, type EventStreams, type Handler } from '@platter/kit'
import { streamFeed } from '#/reading/stream-feed.ts'
import type { OrderNotifier } from '#/saga/order-notifier.ts'
import { RestaurantFeed } from '#/reading/restaurant-feed.ts'
import type { AttendanceKeeper } from '#/attendance/keeper.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'changes' | 'restaurantOrders'> & {
  startWithinMs: number
  notifier: OrderNotifier
  streams: EventStreams
  attendance: Pick<AttendanceKeeper, 'recordSightingsWhileOpen'>
}

/**
 * Streams the open orders of the restaurant, then each new or changed order. A tablet that loses its network closes no connection,
 * and a proxy may keep back all that it receives. Therefore a stream of the console proves no attendance; its page calls the operation
 * `attendance`.
 */
export const restaurantOrdersStream =
  ({ notifier, streams, attendance, ...deps }: Deps): Handler<typeof RestaurantOrdersStream> =>
  async ({ principal: { restaurantApiKey }, headers, query }) =>
    streams.respond(async (out) => {
      if (headers[CONSOLE_HEADER] === undefined)
        attendance.recordSightingsWhileOpen(restaurantApiKey, out.signal)
      using subscription = notifier.restaurants.add(restaurantApiKey)
      const from = { restaurantApiKey, lastEventId: lastEventId(headers, query) }
      await streamFeed(new RestaurantFeed(deps, from), subscription, out)
    })
