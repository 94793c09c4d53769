import { toMoney, type MenuCategory, type OwnCategory } from '@platter/contracts'
import type { AvailabilityOverrides } from '#/domain/availability-overrides.ts'
import { convertAmounts, convertChoices, type Menu } from '#/domain/menu.ts'

/** Returns the menu as clients read it. */
export const menuRecord = (menu: Menu, includeCustomizations = true): MenuCategory[] =>
  menu.map((category) => ({
    ...category,
    description: category.description ?? undefined,
    items: category.items.map(({ customizationGroups, ...item }) => ({
      ...item,
      description: item.description ?? undefined,
      basePrice: toMoney(item.basePrice),
      ...(includeCustomizations && { customizationGroups: convertAmounts(customizationGroups, toMoney) }),
    })),
  }))

/** Returns the menu as its restaurant reads it, with the time at which each unavailable item or choice becomes available. */
export const ownMenuRecord = (menu: Menu, overrides: AvailabilityOverrides): OwnCategory[] =>
  menuRecord(overrides.ofMenu(menu)).map((category) => ({
    ...category,
    items: category.items.map((item) => ({
      ...item,
      availableAgain: overrides.availableAgain('item', item),
      customizationGroups: convertChoices(item.customizationGroups ?? [], (choice) => ({
        ...choice,
        availableAgain: overrides.availableAgain('choice', choice),
      })),
    })),
  }))
