import { z } from 'zod'
import { KeyInPath, Page } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Address, Cancellation, OrderItem, Recipient } from '#/records.ts'
import { ApiKey, Epoch, filledText, Method, Money, OrderStatus, Payment } from '#/values.ts'

/** An order as its restaurant needs it: what to cook, for whom, where to, and what to collect. Never a card. */
export const RestaurantOrder = z
  .object({
    apiKey: ApiKey,
    id: z.int(),
    restaurantApiKey: ApiKey.describe('Whose order it is: one webhook may serve several restaurants.'),
    datePlaced: Epoch,
    method: Method,
    payment: Payment,
    test: z.boolean(),
    recipient: Recipient,
    items: z.array(OrderItem),
    address: Address.nullable(),
    comments: z.string().nullable(),
    subtotal: Money,
    tax: Money,
    deliveryPrice: Money,
    tip: Money,
    total: Money,
    /** What the customer pays on the spot: the total in cash, 0 when it was paid by card or is a test. */
    toCollect: Money,
    status: OrderStatus,
    /** Where it may move from here, the usual one first. */
    nextStatuses: z.array(OrderStatus),
    cancellation: Cancellation.nullable(),
    acceptBy: Epoch.optional().describe(
      'The order is cancelled automatically unless the restaurant moves it on or refuses it by then. Absent when it is not cancelled automatically.',
    ),
  })
  .meta({ id: 'RestaurantOrder' })
export type RestaurantOrder = z.infer<typeof RestaurantOrder>

const restaurant = { owner: 'orders', admission: 'priority', response: RestaurantOrder } as const

/** The restaurant's orders, newest first; with `open` those that are still to be done. */
export const RestaurantOrders = operation({
  name: 'restaurant-orders',
  summary: "Read the restaurant's orders",
  method: 'GET',
  path: '/restaurantapi/v1/orders',
  owner: 'orders',
  admission: 'priority',
  query: Page.extend({
    open: z.boolean().default(false).describe('Only orders that are neither handed over nor cancelled.'),
  }),
  response: z.array(RestaurantOrder),
  problems: [],
})

export const GetRestaurantOrder = operation({
  ...restaurant,
  name: 'restaurant-order',
  summary: "Read one of the restaurant's orders",
  method: 'GET',
  path: '/restaurantapi/v1/order/:apiKey',
  params: KeyInPath,
  problems: ['order-not-found'],
})

/** Reports progress; docs/interface.md's table of transitions holds. The current status again changes nothing. */
export const ReportStatus = operation({
  ...restaurant,
  name: 'report-status',
  summary: 'Report how far an order is',
  method: 'POST',
  path: '/restaurantapi/v1/order/:apiKey/status',
  params: KeyInPath,
  body: z.object({ status: OrderStatus }),
  problems: ['malformed-json', 'not-json', 'body-too-large', 'order-not-found', 'invalid-transition'],
})

/** Refuses an order that the restaurant already has: it is cancelled, the charge voided or refunded. */
export const RefuseOrder = operation({
  ...restaurant,
  name: 'refuse-order',
  summary: 'Refuse an order',
  method: 'POST',
  path: '/restaurantapi/v1/order/:apiKey/refuse',
  params: KeyInPath,
  body: z.object({ reason: filledText(500) }),
  problems: ['malformed-json', 'not-json', 'body-too-large', 'order-not-found', 'invalid-transition'],
})
