import { RestaurantMenu } from '@platter/contracts'
import { Problem, Rendered } from '@platter/kit'
import { notModified } from '#/revalidation.ts'
import type { Route } from '#/route.ts'
import type { MenuCache } from '#/store/menu-cache.ts'

/** docs/specification.md, "Endpoints". */
export const restaurantMenu = (route: Route, menus: MenuCache) =>
  route(RestaurantMenu, async (call) => {
    const { params, query } = call
    const etag = await menus.etagOf(params.apiKey, query.includeCustomizations)
    if (etag === null) throw noRestaurant()
    const unchanged = notModified(call, etag)
    if (unchanged) return unchanged
    const menu = await menus.read(params.apiKey, query.includeCustomizations)
    if (!menu) throw noRestaurant()
    call.setHeader('etag', menu.etag)
    return new Rendered(menu.body)
  })

const noRestaurant = () => new Problem('restaurant-not-found', 'There is no such restaurant.')
