import { refund } from '#/refund-example.ts'
import { OrderInPath } from '#/inputs.ts'
import { bodyProblems, operation } from '#/operation.ts'
import { PreviewRefund, Refund, RefundRequest } from '#/refund.ts'

export const RefundRestaurantOrder = operation({
  name: 'refund-restaurant-order',
  summary: "Refund one of the restaurant's orders or a part of it",
  description:
    'Refunds a captured order of the restaurant at any time, also after `DELIVERED`. An item is refunded with its share of the tax. Cash is recorded as returned. With `validate-only` nothing is refunded: the response is the refund as it would be.',
  method: 'POST',
  path: '/restaurantapi/v1/order/:apiKey/refunds',
  owner: 'orders',
  admission: 'priority',
  params: OrderInPath,
  query: PreviewRefund,
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
