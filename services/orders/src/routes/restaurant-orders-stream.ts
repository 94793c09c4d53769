import type { RestaurantOrdersStream } from '@platter/contracts'
import { lastEventId, type EventStreams, type Handler } from '@platter/kit'
import type { AcceptDeadline } from '#/domain/restaurant-order.ts'
import { follow } from '#/follow.ts'
import type { Followers } from '#/followers.ts'
import { RestaurantFeed } from '#/restaurant-feed.ts'
import type { Db } from '#/store/tables.ts'

/** The restaurant's open orders, then each that is new or has changed. */
export const restaurantOrdersStream =
  ({
    db,
    deadline,
    followers,
    streams,
  }: {
    db: Db
    deadline: AcceptDeadline
    followers: Followers
    streams: EventStreams
  }): Handler<typeof RestaurantOrdersStream> =>
  async ({ principal: { restaurantApiKey }, headers, query }) =>
    streams.answer(async (out) => {
      using follower = followers.ofRestaurant(restaurantApiKey)
      const from = { restaurantApiKey, lastEventId: lastEventId(headers, query) }
      await follow(new RestaurantFeed({ db, deadline }, from), follower, out)
    })
