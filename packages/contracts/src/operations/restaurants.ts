import { z } from 'zod'
import { restaurant } from '#/examples.ts'
import { PageQuery } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { OperatorRestaurant } from '#/operations/put-restaurant.ts'

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
  response: z.array(OperatorRestaurant),
  returns: 'The restaurants.',
  examples: { response: [{ ...restaurant, requireAttendance: true }] },
})
