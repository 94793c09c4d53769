import type { OwnMenu } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { AvailabilityOverrides } from '#/domain/availability-overrides.ts'
import { ownMenuRecord } from '#/domain/menu-record.ts'
import type { MenuStore } from '#/store/menus.ts'

type Deps = { menus: Pick<MenuStore, 'findWithOverrides'> }

/** Reads the database, not the cache, so that a restaurant sees its own change immediately. */
export const ownMenu =
  ({ menus }: Deps): Handler<typeof OwnMenu> =>
  async ({ principal }) => {
    const found = await menus.findWithOverrides(principal.restaurantApiKey)
    if (!found) throw new Problem('restaurant-not-found')
    return ownMenuRecord(found.menu, new AvailabilityOverrides(found.overrides))
  }
