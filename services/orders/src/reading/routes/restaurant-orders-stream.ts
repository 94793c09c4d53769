import type { RestaurantOrdersStream } from '@platter/contracts'
import { lastEventId, type EventStreams, type Handler } from '@platter/kit'
import { follow } from '#/reading/follow.ts'
import type { Followers } from '#/reading/followers.ts'
import { RestaurantFeed } from '#/reading/restaurant-feed.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'changes' | 'restaurantOrders'> & {
  acceptWithinMs: number
  followers: Followers
  streams: EventStreams
}

/** The restaurant's open orders, then each that is new or has changed. */
export const restaurantOrdersStream =
  ({ followers, streams, ...deps }: Deps): Handler<typeof RestaurantOrdersStream> =>
  async ({ principal: { restaurantApiKey }, headers, query }) =>
    streams.answer(async (out) => {
      using follower = followers.ofRestaurant(restaurantApiKey)
      const from = { restaurantApiKey, lastEventId: lastEventId(headers, query) }
      await follow(new RestaurantFeed(deps, from), follower, out)
    })
