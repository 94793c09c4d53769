import { z } from 'zod'
import { restaurantOrder } from '#/examples.ts'
import { LastEvent } from '#/inputs.ts'
import { EventsOnly, operation } from '#/operation.ts'
import { RestaurantOrder } from '#/operations/restaurant-order.ts'

export const RestaurantOrdersStream = operation({
  name: 'restaurant-orders-stream',
  summary: "Follow the restaurant's orders live",
  description:
    'Server-Sent Events. The stream begins with `event: order` for every open order, oldest first, with the record of restaurant-orders. One `event: ready` with `{}` follows: the list is complete. From then on `event: order` has the current record of every order that is new or has changed; a delivered or cancelled order is sent once more with its final status. The same order may be sent twice: store orders by `apiKey`. `id` is opaque. With `Last-Event-ID` the stream begins with every order that has changed since, then `ready`. With an unknown `id` it begins with every open order.',
  method: 'GET',
  path: '/restaurantapi/v1/orders/stream',
  owner: 'orders',
  admission: 'priority',
  query: LastEvent,
  response: EventsOnly,
  returns: 'The events.',
  events: { order: RestaurantOrder, ready: z.object({}) },
  examples: {
    events: [
      { event: 'order', id: '74211~', data: restaurantOrder },
      { event: 'ready', id: '74211', data: {} },
    ],
  },
})
