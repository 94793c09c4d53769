import type { Refund, RestaurantOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import { anOrder, card, seedRestaurants, eventually, readOrder, sendOrder, asRestaurant } from './client.ts'

test('a refund of an item by the restaurant appears in order and in restaurant-order', async () => {
  const { body: order } = await sendOrder({
    ...(await anOrder(seedRestaurants.console)),
    payment: 'card',
    card: card(),
  })
  await eventually(
    () => readOrder(order.apiKey),
    ({ paymentState }) => paymentState === 'CHARGED',
  )
  const request = { items: [{ index: 1 }], reason: 'WRONG_ITEM', message: 'Sorry!' }
  const { status, body } = await asRestaurant<Refund>(`order/${order.apiKey}/refunds`, request)
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { requestedBy: 'restaurant', message: 'Sorry!' },
  })
  const read = await eventually(
    () => readOrder(order.apiKey),
    ({ refundedTotal }) => refundedTotal > 0,
  )
  expect(read).toMatchObject({
    refundedTotal: body.amount,
    refunds: [{ apiKey: body.apiKey, state: 'DONE' }],
  })
  const own = await asRestaurant<RestaurantOrder>(`order/${order.apiKey}`)
  expect(own.body).toMatchObject({ refundedTotal: body.amount })
})
