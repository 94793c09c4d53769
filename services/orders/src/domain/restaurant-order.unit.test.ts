import { cents } from '@platter/contracts'
import { expect, test } from 'vitest'
import type { PlacedOrder } from '#/domain/order.ts'
import { recordWithAcceptBy, restaurantOrderRecord } from '#/domain/restaurant-order.ts'

const order = (changes: Partial<PlacedOrder> = {}): PlacedOrder => ({
  apiKey: 'a',
  id: 7,
  datePlaced: 1_000,
  method: 'pickup',
  payment: 'cash',
  test: false,
  restaurantApiKey: 'r',
  recipientApiKey: null,
  total: cents(1_000),
  status: 'AWAITING_PREPARATION',
  paymentState: 'DUE',
  cancellation: null,
  refunds: [],
  dispute: null,
  reports: 'detailed',
  details: {
    recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142', email: null },
    items: [],
    card: null,
    address: null,
    comments: null,
    subtotal: cents(1_000),
    tax: cents(0),
    tip: cents(0),
    deliveryPrice: cents(0),
  },
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
  const record = recordWithAcceptBy({ order: order(), waitingSince }, 900_000)
  expect(record.acceptBy).toBe(acceptBy)
  expect('acceptBy' in record).toBe(acceptBy !== undefined)
})

test.each<[title: string, toCollect: number, Partial<PlacedOrder>]>([
  ['a cash order', 10, {}],
  ['a card order', 0, { payment: 'card' }],
  ['a test order', 0, { test: true }],
  ['a cancelled order', 0, { cancellation }],
])('the cash to collect for %s is %d', (_, toCollect, changes) => {
  expect(restaurantOrderRecord(order(changes)).toCollect).toBe(toCollect)
})
