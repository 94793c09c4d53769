import { operation } from '../operation.ts'
import { Order } from '../records.ts'
import { orderProblems, OrderRequest } from './send-order.ts'

/** The two read-only steps of send-order: the order as it would be placed, nothing stored, charged or transmitted. */
export const ValidateOrder = operation({
  name: 'validate-order',
  summary: 'Check and price an order without sending it',
  method: 'POST',
  path: '/publicapi/v1/validate-order',
  owner: 'orders',
  body: OrderRequest,
  response: Order,
  changesNothing: true,
  problems: orderProblems,
})
