import type { Cents } from '@platter/contracts'

export type Choice<A = Cents> = { apiKey: string; name: string; price: A; count: number; available: boolean }

/**
 * Customizations of an item with common limits: `minCount` ≤ sum of the chosen `count`s ≤ `maxCount`. `A` is the type of its amounts,
 * `C` that of its choices.
 */
export type CustomizationGroup<A = Cents, C = Choice<A>> = {
  apiKey: string
  name: string
  minCount: number
  maxCount: number
  /** Added once to the item's price if any choice of the group is chosen. */
  basePrice: A
  customizations: { apiKey: string; name: string; type: string; customizationChoices: C[] }[]
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

/** Returns the groups with each choice converted. */
export const convertChoices = <A, C, D>(
  groups: readonly CustomizationGroup<A, C>[],
  convert: (choice: C) => D,
): CustomizationGroup<A, D>[] =>
  groups.map((group) => ({
    ...group,
    customizations: group.customizations.map((customization) => ({
      ...customization,
      customizationChoices: customization.customizationChoices.map((choice) => convert(choice)),
    })),
  }))

/** Returns the groups with each amount converted. */
export const convertAmounts = <A, B>(
  groups: readonly CustomizationGroup<A>[],
  convert: (amount: A) => B,
): CustomizationGroup<B>[] =>
  convertChoices(groups, (choice) => ({ ...choice, price: convert(choice.price) })).map((group) => ({
    ...group,
    basePrice: convert(group.basePrice),
  }))
