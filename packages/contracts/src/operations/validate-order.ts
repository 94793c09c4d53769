import { z } from 'zod'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'
import { orderProblems, OrderRequest } from '#/operations/send-order.ts'

const OrderWarning = z
  .object({
    pointer: z.string().describe('Where: as in the `errors` of a problem.'),
    code: z.enum(['unknown-field']).describe('For programs; there may be more in time.'),
    detail: z.string().describe('In words, with the field that may be meant.'),
  })
  .meta({ id: 'OrderWarning', description: 'Something that is accepted, and may be a mistake.' })

export const ValidatedOrder = Order.extend({
  warnings: z
    .array(OrderWarning)
    .describe('Fields of the request that are ignored because there are none of that name: at most 20.'),
}).meta({ id: 'ValidatedOrder' })
export type ValidatedOrder = z.infer<typeof ValidatedOrder>

/** The two read-only steps of send-order: the order as it would be placed, nothing stored, charged or transmitted. */
export const ValidateOrder = operation({
  name: 'validate-order',
  summary: 'Check and price an order without sending it',
  method: 'POST',
  path: '/publicapi/v1/validate-order',
  owner: 'orders',
  admission: 'order',
  body: OrderRequest,
  response: ValidatedOrder,
  changesNothing: true,
  problems: orderProblems,
})
