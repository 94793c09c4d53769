import { cents } from '@platter/contracts'
import type { PricedOrder } from '#/domain/order.ts'

/** An order of 10.75 without items, in cash by default. */
export const pricedOrder = (changes: Partial<PricedOrder> = {}): PricedOrder => ({
  method: 'delivery',
  payment: 'cash',
  test: false,
  restaurantApiKey: 'r1',
  recipientApiKey: null,
  total: cents(1_075),
  details: {
    recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142', email: null },
    items: [],
    card: null,
    address: null,
    comments: null,
    subtotal: cents(1_075),
    tax: cents(0),
    tip: cents(0),
    deliveryPrice: cents(0),
  },
  ...changes,
})
