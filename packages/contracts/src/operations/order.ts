import { deliveryOrder } from '#/examples.ts'
import { OrderInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'

export const GetOrder = operation({
  name: 'order',
  summary: 'Read an order',
  description: 'An order that your application placed, or that belongs to one of its users.',
  method: 'GET',
  path: '/publicapi/v1/order/:apiKey',
  owner: 'orders',
  admission: 'priority',
  params: OrderInPath,
  response: Order,
  returns: 'The current order.',
  examples: { response: deliveryOrder },
  problems: ['order-not-found'],
})
