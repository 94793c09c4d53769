import { z } from 'zod'
import { KeyInPath, LastEvent } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Cancellation, OrderStatusRecord } from '#/records.ts'

/** docs/specification.md, "Endpoints": oldest first; and docs/interface.md, "Live order updates". */
export const OrderStatuses = operation({
  name: 'order-statuses',
  summary: "Read an order's status history",
  method: 'GET',
  path: '/publicapi/v1/order/:apiKey/statuses',
  owner: 'orders',
  admission: 'priority',
  params: KeyInPath,
  query: LastEvent,
  response: z.array(OrderStatusRecord),
  events: { status: OrderStatusRecord, cancellation: Cancellation },
  problems: ['order-not-found'],
})
