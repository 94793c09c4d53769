import { z } from 'zod'
import { category } from '#/examples.ts'
import { RestaurantInPath, ValidateOnly } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { MenuCategory } from '#/records.ts'
import { ApiKey, filledText, moneyUpTo, text } from '#/values.ts'

const price = moneyUpTo(10_000)
const count = (fallback: number) => z.int().min(0).max(1000).default(fallback)
const available = z.boolean().default(true)

/** The fields of every part of a menu. */
const named = { apiKey: ApiKey, name: filledText(200) }

const ChoiceInput = z
  .object({
    ...named,
    price,
    count: count(1).describe('The amount that the choice adds to the count of its group.'),
    available,
  })
  .meta({ id: 'CustomizationChoiceInput' })

const CustomizationInput = z
  .object({
    ...named,
    type: text(50).default(''),
    customizationChoices: z.array(ChoiceInput).min(1).max(200),
  })
  .meta({ id: 'CustomizationInput' })

const GroupInput = z
  .object({
    ...named,
    minCount: count(0).describe('0: the group is optional.'),
    maxCount: count(1),
    basePrice: price.default(0).describe('Added once to the item when a choice of the group is chosen.'),
    customizations: z.array(CustomizationInput).min(1).max(100),
  })
  .refine((group) => group.minCount <= group.maxCount, { path: ['minCount'], error: 'is more than maxCount' })
  .meta({ id: 'CustomizationGroupInput' })

const ItemInput = z
  .object({
    ...named,
    description: text(1000).optional(),
    basePrice: price,
    available,
    customizationGroups: z.array(GroupInput).max(50).default([]),
  })
  .meta({ id: 'MenuItemInput' })

const CategoryInput = z
  .object({
    ...named,
    description: text(1000).optional(),
    items: z.array(ItemInput).max(2000),
  })
  .meta({ id: 'MenuCategoryInput' })

/** A whole menu in the shape of its records. */
export const MenuInput = z.array(CategoryInput).max(500).meta({ id: 'MenuInput' })
export type MenuInput = z.output<typeof MenuInput>

export const PutMenu = operation({
  name: 'put-menu',
  summary: "Replace a restaurant's menu",
  description:
    'Validates the whole menu and replaces the current one in one transaction. At most 4 MiB. With `validate-only` nothing is stored: the response states whether the menu is valid.',
  method: 'PUT',
  path: '/operatorapi/v1/restaurants/:apiKey/menu',
  owner: 'catalog',
  admission: 'priority',
  /** A menu of 2,000 items with customizations is about 3 MB. */
  bodyLimit: 4 * 1024 * 1024,
  params: RestaurantInPath,
  query: ValidateOnly,
  body: MenuInput,
  response: z.array(MenuCategory),
  returns: 'The menu.',
  examples: { bodies: { 'A menu': [category] }, response: [category] },
  problems: ['restaurant-not-found', 'apikey-taken'],
})
