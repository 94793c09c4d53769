import { OrderInPath, validateOnly } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Refund, RefundRequest } from '#/refund.ts'

/** A refund of the second item of the example `deliveryOrder`: 3.25 and 0.18 of the tax. */
const refund: Refund = {
  apiKey: '0c1f6c1d0e8b4d8f9a53c6a1b7de42905f3e6a7d8c9b0a12',
  amount: 3.43,
  state: 'PENDING',
  reason: 'MISSING_ITEM',
  items: [{ index: 1, amount: 3.43 }],
  requestedBy: 'restaurant',
  borneBy: 'restaurant',
  date: 1795200600,
}

export const RefundOrder = operation({
  name: 'refund-order',
  summary: 'Refund an order or a part of it',
  description:
    'Refunds a captured order at any time, also after `DELIVERED`. The path also accepts the number of the order. An item is refunded with its share of the tax. Cash is recorded as returned. With `validate-only` nothing is refunded: the response is the refund as it would be.',
  method: 'POST',
  path: '/operatorapi/v1/orders/:apiKey/refunds',
  owner: 'orders',
  admission: 'priority',
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
  problems: ['order-not-found', 'refund-too-large', 'not-charged-yet', 'charge-disputed'],
})
