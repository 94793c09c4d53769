import { z } from 'zod'
import { KeyInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { MenuCategory } from '#/records.ts'

/** docs/specification.md, "Endpoints". */
export const RestaurantMenu = operation({
  name: 'restaurant-menu',
  summary: "Read a restaurant's menu",
  method: 'GET',
  path: '/publicapi/v1/restaurant/:apiKey/menu',
  owner: 'catalog',
  admission: 'read',
  params: KeyInPath,
  query: z.object({
    includeCustomizations: z
      .boolean()
      .default(false)
      .describe('Whether every item comes with its customization groups.'),
  }),
  response: z.array(MenuCategory),
  shared: true,
  problems: ['restaurant-not-found'],
})
