import { z } from 'zod'
import { cancelledOrder } from '#/examples.ts'
import { OrderInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'
import { filledText, text } from '#/values.ts'

const message = 'The restaurant has no power. Your card is not charged.'

export const OperatorCancelOrder = operation({
  name: 'operator-cancel-order',
  summary: 'Cancel an order of any application',
  description:
    'Cancels an order at any time before `DELIVERED`. The charge is voided or refunded, and the restaurant is notified. Cancelling it again changes nothing. The path also accepts the number of the order.',
  method: 'POST',
  path: '/operatorapi/v1/orders/:apiKey/cancel',
  owner: 'orders',
  admission: 'priority',
  params: OrderInPath,
  body: z.object({
    reason: filledText(500).describe('The reason, for the restaurant and the customer.'),
    message: text(500).optional().describe('A text for the customer instead of the reason.'),
  }),
  response: Order,
  returns: 'The cancelled order.',
  examples: {
    bodies: {
      'A reason, and a text for the customer': {
        reason: 'Power failure in the kitchen.',
        message,
      },
    },
    response: cancelledOrder('operator', message),
  },
  problems: ['order-not-found', 'invalid-transition'],
})
