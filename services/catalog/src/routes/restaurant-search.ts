import { RestaurantSearch } from '@platter/contracts'
import type { Geocoder } from '#/outside/geocoder.ts'
import type { Route } from '#/route.ts'
import { searchRestaurants } from '#/search.ts'
import type { Db } from '#/store/database.ts'

export const restaurantSearch = (route: Route, parts: { db: Db; geocoder: Geocoder }) =>
  route(RestaurantSearch, (call) => searchRestaurants(parts, call, false))
