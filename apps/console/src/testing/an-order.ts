import type { RestaurantOrder } from '@platter/contracts'

/** An order for tests. */
export const anOrder = (changes: Partial<RestaurantOrder> = {}): RestaurantOrder => ({
  apiKey: 'a',
  id: 7,
  restaurantApiKey: 'r',
  datePlaced: 1_000,
  method: 'pickup',
  payment: 'cash',
  test: false,
  recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142', email: null },
  items: [],
  address: null,
  comments: null,
  subtotal: 10,
  tax: 0.8,
  deliveryPrice: 0,
  tip: 0,
  total: 10.8,
  toCollect: 10.8,
  status: 'AWAITING_PREPARATION',
  nextStatuses: ['PREPARING', 'READY_FOR_PICKUP'],
  cancellation: null,
  refunds: [],
  refundedTotal: 0,
  ...changes,
})
