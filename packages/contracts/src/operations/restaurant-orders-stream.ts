import { z } from 'zod'
import { LastEvent } from '#/inputs.ts'
import { EventsOnly, operation } from '#/operation.ts'
import { RestaurantOrder } from '#/operations/restaurant-orders.ts'

/** The restaurant's open orders, and then every one that is new or has changed; `ready` says that it has the whole. */
export const RestaurantOrdersStream = operation({
  name: 'restaurant-orders-stream',
  summary: "Follow the restaurant's orders live",
  method: 'GET',
  path: '/restaurantapi/v1/orders/stream',
  owner: 'orders',
  admission: 'priority',
  query: LastEvent,
  response: EventsOnly,
  events: { order: RestaurantOrder, ready: z.object({}) },
  problems: [],
})
