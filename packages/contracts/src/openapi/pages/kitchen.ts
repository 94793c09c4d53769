import { category, detailedRestaurant, eventStream, keys, pickupOrder } from '#/openapi/examples.ts'
import type { Pages } from '#/openapi/page.ts'

const { card: _card, paymentState: _paymentState, recipientApiKey: _recipient, ...order } = pickupOrder

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

/** The menu of the other pages, as its restaurant has it. */
const ownMenu = [
  {
    ...category,
    items: category.items.map((item) => ({
      ...item,
      availableAgain: null,
      customizationGroups: (item.customizationGroups ?? []).map((group) => ({
        ...group,
        customizations: group.customizations.map((customization) => ({
          ...customization,
          customizationChoices: customization.customizationChoices.map((choice) => ({
            ...choice,
            availableAgain: null,
          })),
        })),
      })),
    })),
  },
]

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
  'own-restaurant': {
    description: 'The restaurant of the access key, as its details show it, and until when it has paused.',
    answer: {
      description: 'The restaurant.',
      example: { ...detailedRestaurant, open: false, pausedUntil: 1795201200 },
    },
  },
  'own-menu': {
    description:
      'The menu of the restaurant with all customizations, as it is at this moment, and when items and choices that are not available come back by themselves.',
    answer: {
      description: 'The categories in the order in which the restaurant lists them.',
      example: ownMenu,
    },
  },
  'item-availability': {
    description:
      "Takes an item off the menu, or puts it back; menus and orders feel it within two seconds. With `until` it comes back by itself. What the restaurant says goes before the menu's own record, and stays when an operator replaces the menu by one that has the item as well; only when the new menu itself says that the item is not available, that counts.",
    bodies: {
      'Sold out for today': { available: false, until: 1795237200 },
      'Back on the menu': { available: true },
    },
    answer: {
      description: 'What the restaurant says from now on.',
      example: { apiKey: keys.garlicKnots, available: false, until: 1795237200 },
    },
  },
  'choice-availability': {
    description: 'The same for a choice, in every item that it can be chosen for.',
    bodies: { 'Until further notice': { available: false } },
    answer: {
      description: 'What the restaurant says from now on.',
      example: { apiKey: keys.marinara, available: false, until: null },
    },
  },
  pause: {
    description:
      'Takes no orders for so many minutes from now: `open` is false, and orders are refused with `restaurant-closed`. Pausing again begins anew. Orders that are there already go on.',
    bodies: { 'Catching up': { minutes: 20 } },
    answer: { description: 'The pause.', example: { paused: true, pausedUntil: 1795201200 } },
  },
  resume: {
    description: 'Takes orders again, as far as the restaurant is open; without a pause it changes nothing.',
    answer: { description: 'No pause.', example: { paused: false, pausedUntil: null } },
  },
}
