import type { PutMenu } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { takenKeys } from '#/domain/api-keys.ts'
import { locatedRecords, menuFaults, menuOf } from '#/domain/menu-input.ts'
import { menuRecord } from '#/domain/menu-record.ts'
import type { MenuStore } from '#/store/menus.ts'

type Deps = { menus: Pick<MenuStore, 'put'> }

/** Responds with the menu as clients read it: overrides of records that remain on the menu apply. */
export const putMenu =
  ({ menus }: Deps): Handler<typeof PutMenu> =>
  async ({ params, query, body }) => {
    const faults = menuFaults(body)
    if (faults.length > 0) throw Problem.of(faults)
    const outcome = await menus.put(params.apiKey, menuOf(body), { validateOnly: query['validate-only'] })
    if (outcome.kind === 'written') return menuRecord(outcome.menu)
    const { categories, items } = locatedRecords(body)
    const taken = takenKeys([...categories, ...items], outcome.keys)
    if (outcome.kind === 'taken') throw Problem.of(taken)
    // An import validates the menu of a new restaurant before it stores the restaurant.
    throw new Problem('restaurant-not-found', undefined, { faults: taken })
  }
