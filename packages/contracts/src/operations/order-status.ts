import { statuses } from '#/examples.ts'
import { OrderInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { OrderStatusRecord } from '#/records.ts'

export const GetOrderStatus = operation({
  name: 'order-status',
  summary: "Read an order's newest status",
  description: 'The last element of the status history. A cancelled order keeps its last status.',
  method: 'GET',
  path: '/publicapi/v1/order/:apiKey/status',
  owner: 'orders',
  admission: 'priority',
  params: OrderInPath,
  response: OrderStatusRecord,
  returns: 'The newest status.',
  examples: { response: statuses.at(-1) },
  problems: ['order-not-found'],
})
