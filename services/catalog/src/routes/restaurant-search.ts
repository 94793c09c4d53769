import { RestaurantSearch } from '@platter/contracts'
import type { Geocoder } from '#/outside/geocoder.ts'
import type { Route } from '#/route.ts'
import { searchRestaurants } from '#/search.ts'
import type { Db } from '#/store/database.ts'

/** Who tries an application out with a test key finds the restaurants that its orders may go to. */
export const restaurantSearch = (route: Route, parts: { db: Db; geocoder: Geocoder }) =>
  route(RestaurantSearch, (call) => searchRestaurants(parts, call, call.principal.mode === 'test'))
