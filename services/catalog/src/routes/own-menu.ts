import { OwnMenu } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { Availability } from '#/domain/availability.ts'
import { ownMenuRecord } from '#/domain/menu.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'
import { findMenuAndSaid } from '#/store/menus.ts'

/** Not from the cache: who has just changed something sees it. */
export const ownMenu = (route: Route, db: Db) =>
  route(OwnMenu, async ({ principal }) => {
    const found = await findMenuAndSaid(db, principal.restaurantApiKey)
    if (!found) throw new Problem('restaurant-not-found', 'There is no such restaurant.')
    return ownMenuRecord(found.menu, new Availability(found.said))
  })
