import { operation } from '#/operation.ts'
import { RefundOrder } from '#/operations/refund-order.ts'

export const RefundRestaurantOrder = operation({
  ...RefundOrder,
  name: 'refund-restaurant-order',
  summary: "Refund one of the restaurant's orders or a part of it",
  description:
    'Refunds a captured order of the restaurant at any time, also after `DELIVERED`. An item is refunded with its share of the tax. Cash is recorded as returned. With `validate-only` nothing is refunded: the response is the refund as it would be.',
  path: '/restaurantapi/v1/order/:apiKey/refunds',
})
