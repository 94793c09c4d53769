import { z } from 'zod'
import { restaurantOrder } from '#/examples.ts'
import { OrderInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { RestaurantOrder } from '#/operations/restaurant-order.ts'
import { OrderStatus } from '#/values.ts'

export const ReportStatus = operation({
  name: 'report-status',
  summary: 'Report the status of an order',
  description:
    'Sets the status of the order to one of its `nextStatuses`; a status never goes back. Reporting the current status again changes nothing.',
  method: 'POST',
  path: '/restaurantapi/v1/order/:apiKey/status',
  owner: 'orders',
  admission: 'priority',
  params: OrderInPath,
  body: z.object({ status: OrderStatus }),
  response: RestaurantOrder,
  returns: 'The updated order.',
  examples: {
    bodies: { 'The kitchen has begun': { status: 'PREPARING' } },
    response: { ...restaurantOrder, status: 'PREPARING', nextStatuses: ['READY_FOR_PICKUP', 'DELIVERED'] },
  },
  problems: ['order-not-found', 'invalid-transition', 'not-accepted-yet'],
})
