import type { RestaurantOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import {
  anOrder,
  seedRestaurants,
  eventually,
  ledgerOf,
  paidByCard,
  readOrder,
  sendOrder,
  asRestaurant,
  report,
} from './client.ts'

test('refuse-order cancels and refunds a charged order, and later status reports get 409', async () => {
  const apiKey = await paidByCard(seedRestaurants.console)
  const { status, body } = await asRestaurant<RestaurantOrder>(`order/${apiKey}/refuse`, {
    reason: 'out of paneer',
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    nextStatuses: [],
    cancellation: { cancelledBy: 'restaurant', reason: 'order-refused' },
  })
  const cancelled = await eventually(
    () => readOrder(apiKey),
    ({ paymentState }) => paymentState === 'REFUNDED',
  )
  expect(cancelled).toMatchObject({
    status: 'AWAITING_PREPARATION',
    paymentState: 'REFUNDED',
    cancellation: {
      message: expect.stringContaining('out of paneer') as string,
      refund: { amount: cancelled.total, state: 'REFUNDED' },
    },
  })
  expect((await ledgerOf(apiKey)).map(({ kind }) => kind)).toEqual(['authorize', 'capture', 'refund'])
  expect(await report(apiKey, 'PREPARING')).toMatchObject({
    status: 409,
    body: { code: 'invalid-transition' },
  })
  expect((await asRestaurant(`order/${apiKey}/refuse`, { reason: 'again' })).status).toBe(200)
})

test('refuse-order cancels a cash order, but not a delivered one (409)', async () => {
  const { body: order } = await sendOrder(await anOrder(seedRestaurants.console))
  await asRestaurant(`order/${order.apiKey}/refuse`, { reason: 'closing early' })
  expect(await readOrder(order.apiKey)).toMatchObject({
    paymentState: 'VOIDED',
    cancellation: { refund: { amount: 0 } },
  })
  const { body: other } = await sendOrder(await anOrder(seedRestaurants.console))
  await report(other.apiKey, 'PREPARING')
  await report(other.apiKey, 'DELIVERED')
  expect(await asRestaurant(`order/${other.apiKey}/refuse`, { reason: 'too late' })).toMatchObject({
    status: 409,
    body: { code: 'invalid-transition' },
  })
})
