import { z } from 'zod'
import { detailedRestaurant } from '#/examples.ts'
import { PageQuery } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Restaurant } from '#/records.ts'

const { zones: _zones, ...restaurant } = detailedRestaurant

export const Restaurants = operation({
  name: 'restaurants',
  summary: 'Read all restaurants',
  description:
    'All restaurants including test restaurants, newest first. Only restaurant-details has delivery zones.',
  method: 'GET',
  path: '/operatorapi/v1/restaurants',
  owner: 'catalog',
  admission: 'priority',
  query: PageQuery,
  response: z.array(Restaurant),
  returns: 'The restaurants.',
  examples: { response: [restaurant] },
  problems: [],
})
