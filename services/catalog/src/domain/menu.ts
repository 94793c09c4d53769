import type { Cents } from '@platter/contracts'

export type Choice = { apiKey: string; name: string; price: Cents; count: number; available: boolean }
type Customization<C = Choice> = {
  apiKey: string
  name: string
  type: string
  customizationChoices: C[]
}
/** Customizations of an item with common limits: `minCount` ≤ sum of the chosen `count`s ≤ `maxCount`. */
export type CustomizationGroup = {
  apiKey: string
  name: string
  minCount: number
  maxCount: number
  /** Added once to the item's price if any choice of the group is chosen. */
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
type Category = { apiKey: string; name: string; description: string | null; items: Item[] }
export type Menu = Category[]

/** Returns all choices of the groups, in order. */
export const choicesOf = (groups: readonly CustomizationGroup[]): Choice[] =>
  groups.flatMap(({ customizations }) =>
    customizations.flatMap(({ customizationChoices }) => customizationChoices),
  )

/** Returns the customizations with each choice converted. */
export const convertChoices = <C, D>(
  customizations: readonly Customization<C>[],
  convert: (choice: C) => D,
): Customization<D>[] =>
  customizations.map((customization) => ({
    ...customization,
    customizationChoices: customization.customizationChoices.map((choice) => convert(choice)),
  }))
