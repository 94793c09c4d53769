import { RestaurantDetails } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { detailsRecord } from '#/domain/restaurant-record.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'
import { findRestaurant } from '#/store/restaurants.ts'
import { whereIs } from '#/whereabouts.ts'

/** Specification 4.5. */
export const restaurantDetails = (route: Route, { db, geocoder }: { db: Db; geocoder: Geocoder }) =>
  route(RestaurantDetails, async ({ params, query }) => {
    const [place, restaurant] = await Promise.all([
      whereIs(geocoder, query),
      findRestaurant(db, params.apiKey),
    ])
    if (!restaurant) throw new Problem('restaurant-not-found', 'There is no such restaurant.')
    return detailsRecord(restaurant, { place, now: Date.now() })
  })
