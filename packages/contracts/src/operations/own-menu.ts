import { z } from 'zod'
import { operation } from '#/operation.ts'
import { Customization, CustomizationChoice, CustomizationGroup, MenuCategory, MenuItem } from '#/records.ts'
import { Epoch } from '#/values.ts'

const availableAgain = Epoch.nullable().describe(
  'When it can be ordered again by itself; null when it can be now, or only when somebody says so.',
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

/** The menu as clients see it with customizations, and when what is not available comes back. */
export const OwnMenu = operation({
  name: 'own-menu',
  summary: "Read the restaurant's own menu",
  method: 'GET',
  path: '/restaurantapi/v1/menu',
  owner: 'catalog',
  admission: 'priority',
  response: z.array(OwnCategory),
  problems: ['restaurant-not-found'],
})
