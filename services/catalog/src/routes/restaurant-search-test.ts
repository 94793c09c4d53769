import { RestaurantSearchTest } from '@platter/contracts'
import type { Route } from '#/route.ts'
import { searchRestaurants, type SearchParts } from '#/search.ts'

/** All of them, however far: a developer tries an application out from anywhere. */
export const restaurantSearchTest = (route: Route, parts: SearchParts) =>
  route(RestaurantSearchTest, (call) => searchRestaurants(parts, call, 'all-test'))
