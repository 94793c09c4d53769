import { z } from 'zod'
import { KeyInPath } from '../inputs.ts'
import { operation } from '../operation.ts'
import { OrderStatusRecord } from '../records.ts'

/** Specification 4.11: oldest first. */
export const OrderStatuses = operation({
  name: 'order-statuses',
  summary: "Read an order's status history",
  method: 'GET',
  path: '/publicapi/v1/order/:apiKey/statuses',
  owner: 'orders',
  params: KeyInPath,
  response: z.array(OrderStatusRecord),
  problems: ['order-not-found'],
})
