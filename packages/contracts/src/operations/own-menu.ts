import { z } from 'zod'
import { category } from '#/examples.ts'
import { operation } from '#/operation.ts'
import { Customization, CustomizationChoice, CustomizationGroup, MenuCategory, MenuItem } from '#/records.ts'
import { Epoch } from '#/values.ts'

const availableAgain = Epoch.nullable().describe(
  'The time at which it becomes available again automatically. Null when it is available now, or no time is set.',
)

const OwnChoice = CustomizationChoice.extend({ availableAgain }).meta({ id: 'OwnCustomizationChoice' })
const OwnCustomization = Customization.extend({ customizationChoices: z.array(OwnChoice) }).meta({
  id: 'OwnCustomization',
})
const OwnGroup = CustomizationGroup.extend({ customizations: z.array(OwnCustomization) }).meta({
  id: 'OwnCustomizationGroup',
})
const OwnItem = MenuItem.extend({ availableAgain, customizationGroups: z.array(OwnGroup) }).meta({
  id: 'OwnMenuItem',
})
export const OwnCategory = MenuCategory.extend({ items: z.array(OwnItem) }).meta({ id: 'OwnMenuCategory' })
export type OwnCategory = z.infer<typeof OwnCategory>

/** The same record without an availability override. */
const available = <R>(record: R) => ({ ...record, availableAgain: null })

const ownCategory: OwnCategory = {
  ...category,
  items: category.items.map(({ customizationGroups = [], ...item }) => ({
    ...available(item),
    customizationGroups: customizationGroups.map((group) => ({
      ...group,
      customizations: group.customizations.map((customization) => ({
        ...customization,
        customizationChoices: customization.customizationChoices.map(available),
      })),
    })),
  })),
}

export const OwnMenu = operation({
  name: 'own-menu',
  summary: "Read the restaurant's own menu",
  description:
    'The current menu of the restaurant with all customizations. An unavailable item or choice has the time at which it becomes available again automatically.',
  method: 'GET',
  path: '/restaurantapi/v1/menu',
  owner: 'catalog',
  admission: 'priority',
  response: z.array(OwnCategory),
  returns: 'The categories in the order in which the restaurant lists them.',
  examples: { response: [ownCategory] },
  problems: ['restaurant-not-found'],
})
