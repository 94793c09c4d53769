import type {
  Cents,
  CustomizationGroup as GroupRecord,
  Fault,
  MenuCategory,
  MenuInput,
  OwnCategory,
} from '@platter/contracts'
import { toMoney } from '@platter/contracts'
import type { Availability } from '#/domain/availability.ts'
import { centsOf } from '#/domain/money.ts'
import { folded } from '#/domain/search.ts'

type ChoiceRecord = GroupRecord['customizations'][number]['customizationChoices'][number]

export type Choice = { apiKey: string; name: string; price: Cents; count: number; available: boolean }
export type Customization = { apiKey: string; name: string; type: string; customizationChoices: Choice[] }
/** What an item may be ordered with, as it is kept: `minCount` ≤ sum of the choices' `count` ≤ `maxCount`. */
export type CustomizationGroup = {
  apiKey: string
  name: string
  minCount: number
  maxCount: number
  /** Added once to the item when anything of the group is chosen. */
  basePrice: Cents
  customizations: Customization[]
}
export type Item = {
  apiKey: string
  name: string
  description: string | null
  basePrice: Cents
  available: boolean
  customizationGroups: CustomizationGroup[]
}
export type Category = { apiKey: string; name: string; description: string | null; items: Item[] }
export type Menu = Category[]

/** What `folded` makes of the names of all items, for the search. */
export const menuText = (menu: Menu): string =>
  folded(menu.flatMap(({ items }) => items.map(({ name }) => name)).join('\n'))

// In -------------------------------------------------------------------------------------------------------

type ItemInput = MenuInput[number]['items'][number]
type GroupInput = ItemInput['customizationGroups'][number]

/** The menu as it is kept. */
export const menuFrom = (input: MenuInput): Menu =>
  input.map(({ apiKey, name, description, items }) => ({
    apiKey,
    name,
    description: description ?? null,
    items: items.map(itemFrom),
  }))

const itemFrom = (item: ItemInput): Item => ({
  apiKey: item.apiKey,
  name: item.name,
  description: item.description ?? null,
  basePrice: centsOf(item.basePrice),
  available: item.available,
  customizationGroups: item.customizationGroups.map(groupFrom),
})

const groupFrom = (group: GroupInput): CustomizationGroup => ({
  apiKey: group.apiKey,
  name: group.name,
  minCount: group.minCount,
  maxCount: group.maxCount,
  basePrice: centsOf(group.basePrice),
  customizations: group.customizations.map(({ apiKey, name, type, customizationChoices }) => ({
    apiKey,
    name,
    type,
    customizationChoices: customizationChoices.map((choice) => ({
      apiKey: choice.apiKey,
      name: choice.name,
      price: centsOf(choice.price),
      count: choice.count,
      available: choice.available,
    })),
  })),
})

/** A key and where it stands in the body. */
type Named = { apiKey: string; pointer: string }

/**
 * Two of the same key. Categories and items are unique within the menu; what customizes an item is unique
 * within the item only, because a restaurant offers the same toppings with many of its items.
 */
export function menuFaults(menu: MenuInput): Fault[] {
  return [
    ...repeated(categoryKeys(menu)),
    ...repeated(itemKeys(menu)),
    ...menu.flatMap(({ items }, category) =>
      items.flatMap((item, index) => {
        const at = `/${category}/items/${index}/customizationGroups`
        return [groupKeys(item, at), customizationKeys(item, at), choiceKeys(item, at)].flatMap(repeated)
      }),
    ),
  ]
}

/** Keys of the menu that are another restaurant's. */
export function takenFaults(menu: MenuInput, taken: ReadonlySet<string>): Fault[] {
  return [...categoryKeys(menu), ...itemKeys(menu)]
    .filter(({ apiKey }) => taken.has(apiKey))
    .map(({ pointer }) => ({
      pointer,
      code: 'apikey-taken',
      detail: 'This apiKey belongs to another restaurant.',
    }))
}

const categoryKeys = (menu: MenuInput): Named[] =>
  menu.map(({ apiKey }, index) => ({ apiKey, pointer: `/${index}/apiKey` }))

const itemKeys = (menu: MenuInput): Named[] =>
  menu.flatMap(({ items }, category) =>
    items.map(({ apiKey }, index) => ({ apiKey, pointer: `/${category}/items/${index}/apiKey` })),
  )

const groupKeys = (item: ItemInput, at: string): Named[] =>
  item.customizationGroups.map(({ apiKey }, index) => ({ apiKey, pointer: `${at}/${index}/apiKey` }))

const customizationKeys = (item: ItemInput, at: string): Named[] =>
  item.customizationGroups.flatMap(({ customizations }, group) =>
    customizations.map(({ apiKey }, index) => ({
      apiKey,
      pointer: `${at}/${group}/customizations/${index}/apiKey`,
    })),
  )

const choiceKeys = (item: ItemInput, at: string): Named[] =>
  item.customizationGroups.flatMap(({ customizations }, group) =>
    customizations.flatMap(({ customizationChoices }, customization) =>
      customizationChoices.map(({ apiKey }, index) => ({
        apiKey,
        pointer: `${at}/${group}/customizations/${customization}/customizationChoices/${index}/apiKey`,
      })),
    ),
  )

/** One fault for each key that occurred before. */
export function repeated(keys: readonly Named[]): Fault[] {
  const seen = new Set<string>()
  return keys.flatMap(({ apiKey, pointer }) => {
    if (!seen.has(apiKey)) return (seen.add(apiKey), [])
    return [{ pointer, code: 'invalid-field', detail: `The apiKey ${apiKey} is used twice.` }]
  })
}

// Out ------------------------------------------------------------------------------------------------------

/** The menu as clients see it. */
export const menuRecord = (menu: Menu, includeCustomizations: boolean): MenuCategory[] =>
  menu.map(({ apiKey, name, description, items }) => ({
    apiKey,
    name,
    description: description ?? undefined,
    items: items.map((item) => ({
      apiKey: item.apiKey,
      name: item.name,
      description: item.description ?? undefined,
      basePrice: toMoney(item.basePrice),
      available: item.available,
      ...(includeCustomizations && { customizationGroups: groupRecords(item.customizationGroups) }),
    })),
  }))

/** The menu as its restaurant sees it: as clients do, and when what cannot be ordered comes back. */
export function ownMenuRecord(menu: Menu, availability: Availability): OwnCategory[] {
  const choice = (record: ChoiceRecord) => ({
    ...record,
    availableAgain: availability.again('choice', record),
  })
  const group = (record: GroupRecord) => ({
    ...record,
    customizations: record.customizations.map((customization) => ({
      ...customization,
      customizationChoices: customization.customizationChoices.map(choice),
    })),
  })
  return menuRecord(availability.ofMenu(menu), true).map((category) => ({
    ...category,
    items: category.items.map((item) => ({
      ...item,
      availableAgain: availability.again('item', item),
      customizationGroups: (item.customizationGroups ?? []).map(group),
    })),
  }))
}

export const groupRecords = (groups: readonly CustomizationGroup[]): GroupRecord[] =>
  groups.map((group) => ({
    ...group,
    basePrice: toMoney(group.basePrice),
    customizations: group.customizations.map((customization) => ({
      ...customization,
      customizationChoices: customization.customizationChoices.map((choice) => ({
        ...choice,
        price: toMoney(choice.price),
      })),
    })),
  }))
