import { RestaurantSearchTest } from '@platter/contracts'
import type { Route } from '#/route.ts'
import { searchRestaurants, type SearchParts } from '#/search.ts'

export const restaurantSearchTest = (route: Route, parts: SearchParts) =>
  route(RestaurantSearchTest, (call) => searchRestaurants(parts, call, true))
