import {
  deliveryOrder,
  eventStream,
  guest,
  keys,
  newAddress,
  newCard,
  pickupOrder,
  statuses,
} from '#/openapi/examples.ts'
import type { Pages } from '#/openapi/page.ts'

const pickup = {
  restaurantApiKey: keys.restaurant,
  items: [
    { apiKey: keys.cheeseSlice },
    {
      apiKey: keys.garlicKnots,
      comments: 'well done, please',
      customizationChoices: [{ apiKey: keys.marinara }],
    },
  ],
  method: 'pickup',
  payment: 'cash',
  recipient: guest,
}

const delivery = {
  restaurantApiKey: keys.restaurant,
  items: [
    {
      apiKey: keys.margherita,
      customizationChoices: [{ apiKey: keys.medium }, { apiKey: keys.handStretched }],
    },
    { apiKey: keys.cheeseSlice },
  ],
  method: 'delivery',
  payment: 'card',
  tip: 3,
  comments: 'Ring twice.',
}

const bodies = {
  'Pickup, cash, a guest': pickup,
  'Delivery, a new card, a guest': { ...delivery, card: newCard, address: newAddress, recipient: guest },
  'Delivery, a saved card and address, a user': {
    ...delivery,
    card: { apiKey: keys.card },
    address: { apiKey: keys.address },
    recipient: { apiKey: keys.user, phone: '608-555-0177' },
  },
  'A test order': {
    restaurantApiKey: keys.testRestaurant,
    items: [{ apiKey: keys.tomatoSoup }, { apiKey: keys.tomatoSoup }],
    method: 'pickup',
    payment: 'card',
    test: true,
    card: newCard,
    recipient: guest,
  },
}

export const orderPages: Pages = {
  'send-order': {
    description: `Checks the order, charges the card when payment is by card, and transmits the order to the restaurant.

The answer is a 200 as soon as the restaurant has the order: \`status\` is \`AWAITING_PREPARATION\`. When that is not known within some seconds, it is a 200 as well, with \`status\` \`PROCESSING\`: read the order again until it has moved on or has a \`cancellation\`. Any other answer means that there is no order, and that nothing is charged.

Send an \`Idempotency-Key\`, so that an order whose answer got lost can be sent again without being placed twice.`,
    bodies,
    answer: { description: 'The order, placed.', example: pickupOrder },
  },
  'validate-order': {
    description:
      'Checks and prices an order in the same way as send-order, with the same problems; nothing is stored, charged or transmitted. `warnings` lists what is accepted and may be a mistake.',
    bodies,
    answer: {
      description: 'The order as it would be placed; `apiKey`, `id` and `datePlaced` are null.',
      example: {
        ...pickupOrder,
        apiKey: null,
        id: null,
        datePlaced: null,
        status: 'PROCESSING',
        warnings: [
          {
            pointer: '/comment',
            code: 'unknown-field',
            detail: 'The field comment is unknown and is ignored. It may be meant for comments.',
          },
        ],
      },
    },
  },
  order: {
    description: 'An order that your application placed, or that is of one of its users.',
    answer: { description: 'The order as it stands.', example: deliveryOrder },
  },
  'order-by-key': {
    description:
      'For a client that lost the answer of send-order: what became of the order that it sent with this `Idempotency-Key`. When the order came to nothing, the answer is the problem that it ended with.',
    answer: { description: 'The order as it stands.', example: pickupOrder },
  },
  'order-status': {
    description:
      'The last element of the status history. An order that was cancelled stays at the status that it had.',
    answer: { description: 'The newest status.', example: statuses.at(-1) },
  },
  'order-statuses': {
    description:
      'What has happened to an order so far, oldest first. How detailed it is depends on the restaurant.\n\nWith `Accept: text/event-stream` the answer is a stream of Server-Sent Events instead: `event: status` with an OrderStatus for each step so far, then for each new one as it happens, and `event: cancellation` with the Cancellation when it comes to that. `id` is the position in the history. After the last status or a cancellation the stream ends; a client that comes back with the `id` of the last event is answered 204, at which EventSource stops. Any other end is a break: come back with `Last-Event-ID`, and nothing is lost or repeated. What becomes of a refund after the cancellation is read with the order.',
    answer: { description: 'The status history.', example: statuses },
    events: eventStream(statuses.map((data, position) => ({ event: 'status', id: String(position), data }))),
    over: 'The stream has ended, and the client has had all of it: there is nothing to come back for.',
    keyInQuery: true,
  },
  'user-orders': {
    description: 'The orders of a user, newest first.',
    answer: { description: 'A page of orders.', example: [{ ...deliveryOrder, status: 'DELIVERED' }] },
  },
}
