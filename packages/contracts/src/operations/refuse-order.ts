import { z } from 'zod'
import { restaurantOrder } from '#/examples.ts'
import { OrderInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { RestaurantOrder } from '#/operations/restaurant-order.ts'
import { filledText } from '#/values.ts'

export const RefuseOrder = operation({
  name: 'refuse-order',
  summary: 'Refuse an order',
  description:
    'Refuses an order that the restaurant has received. The order is cancelled, and its charge is voided or refunded. Refusing it again changes nothing.',
  method: 'POST',
  path: '/restaurantapi/v1/order/:apiKey/refuse',
  owner: 'orders',
  admission: 'priority',
  params: OrderInPath,
  body: z.object({ reason: filledText(500) }),
  response: RestaurantOrder,
  returns: 'The cancelled order.',
  examples: {
    bodies: { 'A reason for the customer': { reason: 'The oven is broken.' } },
    response: {
      ...restaurantOrder,
      toCollect: 0,
      nextStatuses: [],
      cancellation: {
        reason: 'order-refused',
        message: 'The restaurant refused the order: The oven is broken.',
        cancelledBy: 'restaurant',
        date: 1795200000,
        refund: { amount: 0, state: 'VOIDED' },
      },
    },
  },
  problems: ['order-not-found', 'invalid-transition', 'not-accepted-yet'],
})
