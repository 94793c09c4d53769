import { cents, type RestaurantLink } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import type { PlacedOrder } from './order.ts'
import { restaurantOrderRecord } from './restaurant-order.ts'

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

const webhook: RestaurantLink = {
  kind: 'webhook',
  url: 'https://a.test',
  secret: 'whsec_',
  reports: 'coarse',
}
const simulator: RestaurantLink = { kind: 'simulator', behaviour: 'accepts', reports: 'detailed' }
const onConsole: RestaurantLink = { kind: 'console', reports: 'detailed' }

type Links = { link: RestaurantLink | null; defaultLink: RestaurantLink }

const atConsole: Links = { link: onConsole, defaultLink: onConsole }

describe('acceptBy', () => {
  test.each<[what: string, acceptBy: number | undefined, PlacedOrder, Links]>([
    ['on a console', 1_900, order(), { link: onConsole, defaultLink: simulator }],
    ['on the console that is the default', 1_900, order(), { link: null, defaultLink: onConsole }],
    ['at the simulator that is the default', undefined, order(), { link: null, defaultLink: simulator }],
    ['by webhook', undefined, order(), { link: webhook, defaultLink: onConsole }],
    ['at a simulator', undefined, order(), { link: simulator, defaultLink: onConsole }],
    ['that is started', undefined, order({ status: 'PREPARING' }), atConsole],
    ['that is cancelled', undefined, order({ cancellation }), atConsole],
    ['that is not transmitted', undefined, order({ status: 'PROCESSING' }), atConsole],
  ])('of an order %s is %s', (_, acceptBy, placed, { link, defaultLink }) => {
    const record = restaurantOrderRecord(placed, link, { withinMs: 900_000, defaultLink })
    expect(record.acceptBy).toBe(acceptBy)
    expect('acceptBy' in record).toBe(acceptBy !== undefined)
  })
})
