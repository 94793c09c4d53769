import { OwnRestaurant } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { detailsRecord } from '#/domain/restaurant-record.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'
import { findRestaurant } from '#/store/restaurants.ts'

export const ownRestaurant = (route: Route, db: Db) =>
  route(OwnRestaurant, async ({ principal }) => {
    const restaurant = await findRestaurant(db, principal.restaurantApiKey)
    if (!restaurant) throw new Problem('restaurant-not-found', 'There is no such restaurant.')
    const record = detailsRecord(restaurant, { place: null, now: Date.now() })
    return { ...record, pausedUntil: restaurant.pausedUntil }
  })
