import type { RestaurantSearch } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { searchRestaurants, type Deps } from '#/search-restaurants.ts'

/** A test key finds only test restaurants, because its orders can go to no other restaurant. */
export const restaurantSearch =
  (deps: Deps): Handler<typeof RestaurantSearch> =>
  (call) =>
    searchRestaurants(deps, call, call.principal.mode === 'test' ? 'test' : 'live')
