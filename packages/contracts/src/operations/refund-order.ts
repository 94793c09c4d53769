import { refund } from '#/refund-example.ts'
import { OrderInPath, validateOnly } from '#/inputs.ts'
import { bodyProblems, operation } from '#/operation.ts'
import { Refund, RefundRequest } from '#/refund.ts'

export const RefundOrder = operation({
  name: 'refund-order',
  summary: 'Refund an order or a part of it',
  description:
    'Refunds a captured order at any time, also after `DELIVERED`. The path also accepts the number of the order. An item is refunded with its share of the tax. Cash is recorded as returned. With `validate-only` nothing is refunded: the response is the refund as it would be.',
  method: 'POST',
  path: '/operatorapi/v1/orders/:apiKey/refunds',
  owner: 'orders',
  params: OrderInPath,
  query: validateOnly('Only shows the refund as it would be; nothing is refunded.'),
  body: RefundRequest,
  response: Refund,
  returns: 'The refund. It is `PENDING` until the payment processor has confirmed it: read the order again.',
  examples: {
    bodies: {
      'A missing item': { items: [{ index: 1 }], reason: 'MISSING_ITEM' },
      'Late: the delivery and a text': {
        includeDelivery: true,
        reason: 'LATE',
        message: 'Sorry for the delay.',
      },
      'An amount': { amount: 2.5, reason: 'GOODWILL', borneBy: 'platform' },
      'All of it': { all: true, reason: 'QUALITY' },
    },
    response: refund,
  },
  problems: [...bodyProblems, 'order-not-found', 'refund-too-large', 'not-charged-yet'],
})
