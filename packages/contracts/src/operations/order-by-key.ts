import { z } from 'zod'
import { pickupOrder } from '#/examples.ts'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'

const idempotencyKey = z.string().min(1).max(255).meta({
  description: 'The `Idempotency-Key` of the send-order, without quotes.',
  example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
})

export const OrderByKey = operation({
  name: 'order-by-key',
  summary: 'Find an order by the Idempotency-Key of its send-order',
  description:
    'For a client that lost the response of send-order: the order of the send-order with this `Idempotency-Key`. When that order failed, the response is the problem of its send-order. A 404 means that no order has the key: send the order again with the same key.',
  method: 'GET',
  path: '/publicapi/v1/order-by-key/:idempotencyKey',
  owner: 'orders',
  admission: 'priority',
  params: z.object({ idempotencyKey }),
  response: Order,
  returns: 'The current order.',
  examples: { response: pickupOrder },
  problems: [
    'order-not-found',
    'card-declined',
    'card-expired',
    'cvc-failed',
    'below-card-minimum',
    'total-too-large',
    'payment-not-possible',
    'order-refused',
    'order-cancelled',
  ],
})
