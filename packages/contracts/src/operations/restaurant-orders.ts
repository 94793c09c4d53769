import { z } from 'zod'
import { restaurantOrder } from '#/examples.ts'
import { PageQuery } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { RestaurantOrder } from '#/operations/restaurant-order.ts'

export const RestaurantOrders = operation({
  name: 'restaurant-orders',
  summary: "Read the restaurant's orders",
  description: "The restaurant's orders, newest first. With `open`, only unfinished orders.",
  method: 'GET',
  path: '/restaurantapi/v1/orders',
  owner: 'orders',
  admission: 'priority',
  query: PageQuery.extend({
    open: z.boolean().default(false).describe('Only orders that are neither delivered nor cancelled.'),
  }),
  response: z.array(RestaurantOrder),
  returns: 'The orders.',
  examples: { query: { open: true }, response: [restaurantOrder] },
})
