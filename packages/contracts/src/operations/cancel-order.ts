import { z } from 'zod'
import { cancelledOrder } from '#/examples.ts'
import { OrderInPath, validateOnly } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'
import { Epoch, Money } from '#/values.ts'

/** The effect of a cancellation at this time. */
export const CancellationOffer = z
  .object({
    cancellable: z.boolean().describe('Whether the customer may cancel the order now.'),
    until: Epoch.nullable().describe(
      'The end of the time to cancel, unless the restaurant begins earlier; null when it is over.',
    ),
    refund: z.object({ amount: Money.describe('The amount that the customer gets back.') }),
  })
  .meta({ id: 'CancellationOffer' })
export type CancellationOffer = z.infer<typeof CancellationOffer>

export const CancelOrder = operation({
  name: 'cancel-order',
  summary: 'Cancel an order for its customer',
  description:
    "Cancels an order while the restaurant has not begun to prepare it, and within the restaurant's cancellation time (`customerCancelMinutes` after the order). The charge is voided or refunded, and the restaurant is notified. A cancelled order stays cancelled: cancelling it again changes nothing. With `validate-only` nothing changes: the response states whether and until when the order can be cancelled, and the amount that the customer gets back.",
  method: 'POST',
  path: '/publicapi/v1/order/:apiKey/cancel',
  owner: 'orders',
  admission: 'write',
  params: OrderInPath,
  query: validateOnly('Only returns the effect of a cancellation.'),
  response: z.union([Order, CancellationOffer]),
  returns: 'The cancelled order; with `validate-only` the effect of a cancellation.',
  examples: { response: cancelledOrder('customer', 'The customer cancelled the order.') },
  problems: ['order-not-found', 'cancel-too-late', 'test-key'],
})
