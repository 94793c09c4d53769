import { RestaurantSearch } from '@platter/contracts'
import type { Route } from '#/route.ts'
import { searchRestaurants, type SearchParts } from '#/search.ts'

/** Who tries an application out with a test key finds the restaurants that its orders may go to. */
export const restaurantSearch = (route: Route, parts: SearchParts) =>
  route(RestaurantSearch, (call) =>
    searchRestaurants(parts, call, call.principal.mode === 'test' ? 'test' : 'live'),
  )
