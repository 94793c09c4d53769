import type { RestaurantSearchTest } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { searchRestaurants, type Deps } from '#/search-restaurants.ts'

/** Finds all test restaurants at any distance, because developers may be anywhere. */
export const restaurantSearchTest =
  (deps: Deps): Handler<typeof RestaurantSearchTest> =>
  (call) =>
    searchRestaurants(deps, call, 'all-test')
