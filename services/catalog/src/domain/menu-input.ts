import type { Fault, MenuInput } from '@platter/contracts'
import { located, repeatedKeys } from '#/domain/api-keys.ts'
import { convertAmounts, type Menu } from '#/domain/menu.ts'
import { centsOf } from '#/domain/money.ts'

/** Converts the validated body of put-menu. */
export const menuOf = (input: MenuInput): Menu =>
  input.map((category) => ({
    ...category,
    description: category.description ?? null,
    items: category.items.map((item) => ({
      ...item,
      description: item.description ?? null,
      basePrice: centsOf(item.basePrice),
      customizationGroups: convertAmounts(item.customizationGroups, centsOf),
    })),
  }))

/**
 * Returns the faults of duplicate apiKeys. Those of categories and items are unique within the menu. Those of groups and choices
 * are unique only within their item, because a restaurant offers the same toppings with many items.
 */
export function menuFaults(menu: MenuInput): Fault[] {
  const { categories, items } = locatedRecords(menu)
  return [
    ...repeatedKeys(categories),
    ...repeatedKeys(items),
    ...items.flatMap((item) => {
      const groups = located(item.record.customizationGroups, `${item.pointer}/customizationGroups`)
      const customizations = groups.flatMap(({ record, pointer }) =>
        located(record.customizations, `${pointer}/customizations`),
      )
      const choices = customizations.flatMap(({ record, pointer }) =>
        located(record.customizationChoices, `${pointer}/customizationChoices`),
      )
      return [groups, customizations, choices].flatMap(repeatedKeys)
    }),
  ]
}

/** Returns the categories and items of the body with their pointers. */
export function locatedRecords(menu: MenuInput) {
  const categories = located(menu, '')
  const items = categories.flatMap(({ record, pointer }) => located(record.items, `${pointer}/items`))
  return { categories, items }
}
