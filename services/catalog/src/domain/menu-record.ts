import {
  toMoney,
  type CustomizationGroup as GroupRecord,
  type MenuCategory,
  type OwnCategory,
} from '@platter/contracts'
import type { AvailabilityOverrides } from '#/domain/availability-overrides.ts'
import { convertChoices, type CustomizationGroup, type Menu } from '#/domain/menu.ts'

type ChoiceRecord = GroupRecord['customizations'][number]['customizationChoices'][number]

/** Returns the menu as clients read it. */
export const menuRecord = (menu: Menu, includeCustomizations: boolean): MenuCategory[] =>
  menu.map((category) => ({
    ...category,
    description: category.description ?? undefined,
    items: category.items.map(({ customizationGroups, ...item }) => ({
      ...item,
      description: item.description ?? undefined,
      basePrice: toMoney(item.basePrice),
      ...(includeCustomizations && { customizationGroups: groupRecords(customizationGroups) }),
    })),
  }))

export const groupRecords = (groups: readonly CustomizationGroup[]): GroupRecord[] =>
  groups.map((group) => ({
    ...group,
    basePrice: toMoney(group.basePrice),
    customizations: convertChoices(group.customizations, (choice) => ({
      ...choice,
      price: toMoney(choice.price),
    })),
  }))

/** Returns the menu as its restaurant reads it, with the time at which each unavailable item or choice becomes available. */
export function ownMenuRecord(menu: Menu, overrides: AvailabilityOverrides): OwnCategory[] {
  const choice = (record: ChoiceRecord) => ({
    ...record,
    availableAgain: overrides.availableAgain('choice', record),
  })
  const group = (record: GroupRecord) => ({
    ...record,
    customizations: convertChoices(record.customizations, choice),
  })
  return menuRecord(overrides.ofMenu(menu), true).map((category) => ({
    ...category,
    items: category.items.map((item) => ({
      ...item,
      availableAgain: overrides.availableAgain('item', item),
      customizationGroups: (item.customizationGroups ?? []).map(group),
    })),
  }))
}
