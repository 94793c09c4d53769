import type { RestaurantOrdersStream } from '@platter/contracts'
import { lastEventId, type EventStreams, type Handler } from '@platter/kit'
import { follow } from '#/reading/follow.ts'
import type { Followers } from '#/reading/followers.ts'
import { RestaurantFeed } from '#/reading/restaurant-feed.ts'
import type { Db } from '#/store/tables.ts'

/** The restaurant's open orders, then each that is new or has changed. */
export const restaurantOrdersStream =
  ({
    db,
    acceptWithinMs,
    followers,
    streams,
  }: {
    db: Db
    acceptWithinMs: number
    followers: Followers
    streams: EventStreams
  }): Handler<typeof RestaurantOrdersStream> =>
  async ({ principal: { restaurantApiKey }, headers, query }) =>
    streams.answer(async (out) => {
      using follower = followers.ofRestaurant(restaurantApiKey)
      const from = { restaurantApiKey, lastEventId: lastEventId(headers, query) }
      await follow(new RestaurantFeed({ db, acceptWithinMs }, from), follower, out)
    })
