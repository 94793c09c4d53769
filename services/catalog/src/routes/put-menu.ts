import { PutMenu } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { menuFaults, menuFrom, menuRecord, takenFaults } from '#/domain/menu.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'
import { findMenu, putMenu as write } from '#/store/menus.ts'

/** Answers the menu with its customizations: what the restaurant said of the same items stays, see `keepFor`. */
export const putMenu = (route: Route, db: Db) =>
  route(PutMenu, async ({ params, query, body }) => {
    const faults = menuFaults(body)
    if (faults.length > 0) throw Problem.of(faults)
    const menu = menuFrom(body)
    const written = await write(db, params.apiKey, menu, { validateOnly: query['validate-only'] })
    if (written.kind === 'taken') throw Problem.of(takenFaults(body, written.keys))
    if (written.kind === 'no-restaurant') {
      throw new Problem('restaurant-not-found', 'There is no such restaurant.')
    }
    const kept = await findMenu(db, params.apiKey)
    return menuRecord(kept?.menu ?? menu, true)
  })
