import type { RestaurantOrdersStream } from '@platter/contracts'
import { lastEventId, type EventStreams, type Handler } from '@platter/kit'
import { streamFeed } from '#/reading/stream-feed.ts'
import type { OrderNotifier } from '#/saga/order-notifier.ts'
import { RestaurantFeed } from '#/reading/restaurant-feed.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'changes' | 'restaurantOrders'> & {
  acceptWithinMs: number
  notifier: OrderNotifier
  streams: EventStreams
}

/** The open orders of the restaurant, then each new or changed order. */
export const restaurantOrdersStream =
  ({ notifier, streams, ...deps }: Deps): Handler<typeof RestaurantOrdersStream> =>
  async ({ principal: { restaurantApiKey }, headers, query }) =>
    streams.answer(async (out) => {
      using subscription = notifier.subscribeToRestaurant(restaurantApiKey)
      const from = { restaurantApiKey, lastEventId: lastEventId(headers, query) }
      await streamFeed(new RestaurantFeed(deps, from), subscription, out)
    })
