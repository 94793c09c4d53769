import type { Restaurants } from '@platter/contracts'
import { page, type Handler } from '@platter/kit'
import { restaurantRecord } from '#/domain/restaurant-record.ts'
import { Position, type RestaurantStore } from '#/store/restaurants.ts'

type Deps = { restaurants: Pick<RestaurantStore, 'list'> }

/** All restaurants, for the operator. */
export const listRestaurants =
  ({ restaurants }: Deps): Handler<typeof Restaurants> =>
  async (call) => {
    const found = await page(
      call,
      Position,
      (range) => restaurants.list(range),
      ({ position }) => position,
    )
    return found.map(({ restaurant }) => ({
      ...restaurantRecord(restaurant, { place: null, now: Date.now() }),
      requireAttendance: restaurant.requireAttendance,
    }))
  }
