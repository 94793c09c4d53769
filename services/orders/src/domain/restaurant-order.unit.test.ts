import { expect, test } from 'vitest'
import { newOrder } from '#/domain/order-state.ts'
import type { PlacedOrder } from '#/domain/order.ts'
import { recordWithAcceptBy, restaurantOrderRecord } from '#/domain/restaurant-order.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const order = (changes: Partial<PlacedOrder> = {}): PlacedOrder => ({
  ...newOrder('a', pricedOrder(), 1_000),
  ...changes,
})

const cancellation: PlacedOrder['cancellation'] = {
  reason: 'order-refused',
  message: 'No.',
  cancelledBy: 'restaurant',
  date: 1_100,
  refund: { amount: 0, state: 'VOIDED' },
}

test.each<[title: string, acceptBy: number | undefined, waitingSince: number | null]>([
  ['that waits on a console', 2_400, 1_500],
  ['that does not wait', undefined, null],
])('acceptBy of an order %s is %s', (_, acceptBy, waitingSince) => {
  const record = recordWithAcceptBy({ ...order(), waitingSince }, 900_000)
  expect(record.acceptBy).toBe(acceptBy)
  expect('acceptBy' in record).toBe(acceptBy !== undefined)
})

test.each<[title: string, toCollect: number, Partial<PlacedOrder>]>([
  ['a cash order', 10.75, {}],
  ['a card order', 0, { payment: 'card' }],
  ['a test order', 0, { test: true }],
  ['a cancelled order', 0, { cancellation }],
])('the cash to collect for %s is %s', (_, toCollect, changes) => {
  expect(restaurantOrderRecord(order(changes)).toCollect).toBe(toCollect)
})
