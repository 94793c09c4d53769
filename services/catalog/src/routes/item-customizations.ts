import { ItemCustomizations } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { groupRecords } from '#/domain/menu.ts'
import { notModified, RENDERING } from '#/revalidation.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'
import { findCustomizations } from '#/store/menus.ts'

/** docs/specification.md, "Endpoints". */
export const itemCustomizations = (route: Route, db: Db) =>
  route(ItemCustomizations, async (call) => {
    const found = await findCustomizations(db, call.params.apiKey)
    if (!found) throw new Problem('item-not-found', 'There is no such menu item.')
    return notModified(call, `"${found.version}-${RENDERING}"`) ?? groupRecords(found.groups)
  })
