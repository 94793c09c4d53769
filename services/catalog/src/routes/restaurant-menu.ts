import { RestaurantMenu } from '@platter/contracts'
import { Problem, Rendered } from '@platter/kit'
import type { Route } from '#/route.ts'
import type { MenuCache } from '#/store/menu-cache.ts'

/** Specification 4.6. */
export const restaurantMenu = (route: Route, menus: MenuCache) =>
  route(RestaurantMenu, async ({ params, query }) => {
    const body = await menus.read(params.apiKey, query.includeCustomizations)
    if (!body) throw new Problem('restaurant-not-found', 'There is no such restaurant.')
    return new Rendered(body)
  })
