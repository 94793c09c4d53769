import type { OwnRestaurant } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { pauseRecord } from '#/domain/hours.ts'
import { detailsRecord } from '#/domain/restaurant-record.ts'
import type { RestaurantStore } from '#/store/restaurants.ts'

type Deps = { restaurants: Pick<RestaurantStore, 'find'> }

export const ownRestaurant =
  ({ restaurants }: Deps): Handler<typeof OwnRestaurant> =>
  async ({ principal }) => {
    const restaurant = await restaurants.find(principal.restaurantApiKey)
    if (!restaurant) throw new Problem('restaurant-not-found')
    const record = detailsRecord(restaurant, { place: null, now: Date.now() })
    return { ...record, ...pauseRecord(restaurant.pausedUntil) }
  }
