import { z } from 'zod'
import { pickupOrder } from '#/examples.ts'
import { operation } from '#/operation.ts'
import { orderProblems, OrderRequest, SendOrder } from '#/operations/send-order.ts'
import { Order } from '#/records.ts'

const OrderWarning = z
  .object({
    pointer: z.string().describe('The place in the request, as in the `errors` of a problem.'),
    code: z.enum(['unknown-field']).describe('For programs. Later versions may add codes.'),
    detail: z.string().describe('In words, with the name of a similar known field.'),
  })
  .meta({ id: 'OrderWarning', description: 'An accepted field that may be a mistake.' })

export const ValidatedOrder = Order.extend({
  warnings: z.array(OrderWarning).describe('Unknown fields of the request, which are ignored: at most 20.'),
}).meta({ id: 'ValidatedOrder' })
export type ValidatedOrder = z.infer<typeof ValidatedOrder>

export const ValidateOrder = operation({
  name: 'validate-order',
  summary: 'Check and price an order without sending it',
  description:
    'Checks and prices an order in the same way as send-order, with the same problems. Nothing is stored, charged or transmitted. `warnings` lists accepted fields that may be a mistake.',
  method: 'POST',
  path: '/publicapi/v1/validate-order',
  owner: 'orders',
  admission: 'order',
  body: OrderRequest,
  response: ValidatedOrder,
  returns: 'The order as send-order would place it; `apiKey`, `id` and `datePlaced` are null.',
  examples: {
    bodies: SendOrder.examples.bodies,
    response: {
      ...pickupOrder,
      apiKey: null,
      id: null,
      datePlaced: null,
      status: 'PROCESSING',
      warnings: [
        {
          pointer: '/comment',
          code: 'unknown-field',
          detail: 'The field comment is unknown and is ignored. It may be meant for comments.',
        },
      ],
    },
  },
  changesNothing: true,
  problems: orderProblems,
})
