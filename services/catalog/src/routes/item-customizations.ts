import { toMoney, type ItemCustomizations } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { convertAmounts } from '#/domain/menu.ts'
import { notModified, RENDERING } from '#/revalidation.ts'
import type { MenuStore } from '#/store/menus.ts'

type Deps = { menus: Pick<MenuStore, 'findCustomizations'> }

/** docs/specification.md, "Endpoints". */
export const itemCustomizations =
  ({ menus }: Deps): Handler<typeof ItemCustomizations> =>
  async (call) => {
    const found = await menus.findCustomizations(call.params.apiKey)
    if (!found) throw new Problem('item-not-found')
    return notModified(call, `"${found.version}-${RENDERING}"`) ?? convertAmounts(found.groups, toMoney)
  }
