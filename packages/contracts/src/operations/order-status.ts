import { KeyInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { OrderStatusRecord } from '#/records.ts'

/** For clients that want no more than where the order is: `status` and `cancellation` of the order tell it as well. */
export const GetOrderStatus = operation({
  name: 'order-status',
  summary: "Read an order's newest status",
  method: 'GET',
  path: '/publicapi/v1/order/:apiKey/status',
  owner: 'orders',
  admission: 'priority',
  params: KeyInPath,
  response: OrderStatusRecord,
  problems: ['order-not-found'],
})
