import type { RestaurantOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import { anOrder, seedRestaurants, sendOrder, statusesOf, asRestaurant, report } from './client.ts'

test('a report moves an order to a next status; a repeat changes nothing; any other gets 409', async () => {
  const { body: order } = await sendOrder(await anOrder(seedRestaurants.console))
  expect((await asRestaurant<RestaurantOrder>(`order/${order.apiKey}`)).body).toMatchObject({
    toCollect: order.total,
  })
  expect((await report(order.apiKey, 'PREPARING')).body).toMatchObject({
    status: 'PREPARING',
    nextStatuses: ['READY_FOR_PICKUP', 'DELIVERED'],
  })
  expect((await report(order.apiKey, 'PREPARING')).status).toBe(200)
  expect(await report(order.apiKey, 'OUT_FOR_DELIVERY')).toMatchObject({
    status: 409,
    body: { code: 'invalid-transition' },
  })
  expect((await report(order.apiKey, 'DELIVERED')).status).toBe(200)
  expect(await statusesOf(order.apiKey)).toEqual([
    'PROCESSING',
    'AWAITING_PREPARATION',
    'PREPARING',
    'DELIVERED',
  ])
  const { body: open } = await asRestaurant<RestaurantOrder[]>('orders?open=true')
  expect(open.map(({ apiKey }) => apiKey)).not.toContain(order.apiKey)
})
