import { z } from 'zod'
import { Page } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Restaurant } from '#/records.ts'

/** Every restaurant, test restaurants too, for who runs the platform. Without zones, which only the details have. */
export const Restaurants = operation({
  name: 'restaurants',
  summary: 'Read all restaurants',
  method: 'GET',
  path: '/operatorapi/v1/restaurants',
  owner: 'catalog',
  admission: 'priority',
  query: Page,
  response: z.array(Restaurant),
  problems: [],
})
