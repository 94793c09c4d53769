import type { Refund, RestaurantOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import { asRestaurant, eventually, paidByCard, readOrder, seedRestaurants } from './client.ts'

test('a refund of an item by the restaurant appears in order and in restaurant-order', async () => {
  const apiKey = await paidByCard(seedRestaurants.console)
  const request = { items: [{ index: 1 }], reason: 'WRONG_ITEM', message: 'Sorry!' }
  const { status, body } = await asRestaurant<Refund>(`order/${apiKey}/refunds`, request)
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { requestedBy: 'restaurant', message: 'Sorry!' },
  })
  const read = await eventually(
    () => readOrder(apiKey),
    ({ refundedTotal }) => refundedTotal > 0,
  )
  expect(read).toMatchObject({
    refundedTotal: body.amount,
    refunds: [{ apiKey: body.apiKey, state: 'DONE' }],
  })
  const own = await asRestaurant<RestaurantOrder>(`order/${apiKey}`)
  expect(own.body).toMatchObject({ refundedTotal: body.amount })
})
