import type { RestaurantMenu } from '@platter/contracts'
import { Problem, Rendered, type Handler } from '@platter/kit'
import { notModified } from '#/revalidation.ts'
import type { MenuCache } from '#/store/menu-cache.ts'

type Deps = { menuCache: MenuCache }

/** docs/specification.md, "Endpoints". */
export const restaurantMenu =
  ({ menuCache }: Deps): Handler<typeof RestaurantMenu> =>
  async (call) => {
    const { apiKey } = call.params
    const { includeCustomizations } = call.query
    const etag = await menuCache.etagOf(apiKey, includeCustomizations)
    const unchanged = etag === null ? null : notModified(call, etag)
    if (unchanged) return unchanged
    const menu = etag === null ? null : await menuCache.read(apiKey, includeCustomizations)
    if (!menu) throw new Problem('restaurant-not-found')
    call.setHeader('etag', menu.etag)
    return new Rendered(menu.body)
  }
