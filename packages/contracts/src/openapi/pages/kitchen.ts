import { eventStream, pickupOrder } from '../examples.ts'
import type { Pages } from '../page.ts'

const {
  card: _card,
  paymentState: _paymentState,
  restaurantApiKey: _restaurant,
  recipientApiKey: _recipient,
  ...order
} = pickupOrder

/** The pickup order of the other pages, as its restaurant has it. */
const inTheKitchen = {
  ...order,
  toCollect: pickupOrder.total,
  status: 'AWAITING_PREPARATION',
  nextStatuses: ['PREPARING', 'READY_FOR_PICKUP'],
}

const refused = {
  ...inTheKitchen,
  toCollect: 0,
  nextStatuses: [],
  cancellation: {
    reason: 'order-refused',
    message: 'The restaurant refused the order: The oven is broken.',
    cancelledBy: 'restaurant',
    date: 1795200000,
    refund: { amount: 0, state: 'VOIDED' },
  },
}

export const kitchenPages: Pages = {
  'restaurant-orders': {
    description:
      "The restaurant's orders, newest first. With `open` only those that are still to be done: neither handed over nor cancelled.",
    query: { open: true },
    answer: { description: 'The orders.', example: [inTheKitchen] },
  },
  'restaurant-orders-stream': {
    description:
      'Server-Sent Events. First `event: order` for every open order, oldest first, with the record that restaurant-orders gives, then one `event: ready` with `{}`: that was the whole. From then on `event: order` for every order that is new or has changed, with the record as it is now; an order that is handed over or cancelled comes once more as that. The same order may come twice: keep them by `apiKey`. `id` is opaque; with `Last-Event-ID` the stream begins with every order that has changed since, then `ready`. A client that comes back with an `id` that means nothing here is sent every open order again.',
    answer: {
      description: 'The events.',
      example: eventStream([
        { event: 'order', id: '74211~', data: inTheKitchen },
        { event: 'ready', id: '74211', data: {} },
      ]),
    },
    keyInQuery: true,
  },
  'restaurant-order': {
    description: 'One order of the restaurant.',
    answer: { description: 'The order.', example: inTheKitchen },
  },
  'report-status': {
    description:
      'Moves the order on, and only forward: `nextStatuses` says where to. Reporting the current status again changes nothing.',
    bodies: { 'The kitchen has begun': { status: 'PREPARING' } },
    answer: {
      description: 'The order as it is now.',
      example: { ...inTheKitchen, status: 'PREPARING', nextStatuses: ['READY_FOR_PICKUP', 'DELIVERED'] },
    },
  },
  'refuse-order': {
    description:
      'Refuses an order that the restaurant has already. The order is cancelled, and what was charged is voided or refunded. Refusing it again changes nothing.',
    bodies: { 'A reason for the customer': { reason: 'The oven is broken.' } },
    answer: { description: 'The order, cancelled.', example: refused },
  },
}
