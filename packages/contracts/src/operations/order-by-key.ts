import { z } from 'zod'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'

/** What became of the send-order with this Idempotency-Key: its order as it stands now, or the problem that it ended with. */
export const OrderByKey = operation({
  name: 'order-by-key',
  summary: 'Find an order by the Idempotency-Key that it was sent with',
  method: 'GET',
  path: '/publicapi/v1/order-by-key/:idempotencyKey',
  owner: 'orders',
  admission: 'priority',
  params: z.object({ idempotencyKey: z.string().min(1).max(255) }),
  response: Order,
  problems: ['order-not-found', 'card-declined', 'card-expired', 'cvc-failed', 'order-refused'],
})
