import { RestaurantSearchTest } from '@platter/contracts'
import type { Geocoder } from '#/outside/geocoder.ts'
import type { Route } from '#/route.ts'
import { searchRestaurants } from '#/search.ts'
import type { Db } from '#/store/database.ts'

export const restaurantSearchTest = (route: Route, parts: { db: Db; geocoder: Geocoder }) =>
  route(RestaurantSearchTest, (call) => searchRestaurants(parts, call, true))
