import { z } from 'zod'
import { category } from '#/examples.ts'
import { RestaurantInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { MenuCategory } from '#/records.ts'

export const RestaurantMenu = operation({
  name: 'restaurant-menu',
  summary: "Read a restaurant's menu",
  description:
    'The menu by categories. With `includeCustomizations=true` every item has its customization groups. Otherwise read the customizations of an item before it is ordered.',
  method: 'GET',
  path: '/publicapi/v1/restaurant/:apiKey/menu',
  owner: 'catalog',
  admission: 'read',
  params: RestaurantInPath,
  query: z.object({
    includeCustomizations: z
      .boolean()
      .default(false)
      .describe('Whether every item has its customization groups.'),
  }),
  response: z.array(MenuCategory),
  returns: 'The categories in the order in which the restaurant lists them.',
  examples: { query: { includeCustomizations: true }, response: [category] },
  hasETag: true,
  shared: true,
  problems: ['restaurant-not-found'],
})
