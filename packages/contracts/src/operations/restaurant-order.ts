import { z } from 'zod'
import { restaurantOrder } from '#/examples.ts'
import { OrderInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'
import { ApiKey, Epoch, Money, OrderStatus } from '#/values.ts'

/** An order, as its restaurant reads it. It never contains a card. */
export const RestaurantOrder = Order.omit({
  card: true,
  dispute: true,
  paymentAction: true,
  paymentState: true,
  recipientApiKey: true,
})
  .extend({
    apiKey: ApiKey,
    id: z.int(),
    restaurantApiKey: ApiKey.describe('One webhook may serve several restaurants.'),
    datePlaced: Epoch,
    toCollect: Money.describe(
      'The amount that the customer pays on receipt: the total of a cash order; 0 for a card order and a test order.',
    ),
    nextStatuses: z.array(OrderStatus).describe('The usual next status first.'),
    acceptBy: Epoch.optional().describe(
      'The order is cancelled automatically unless the restaurant reports a status or refuses the order by then, 15 minutes after its arrival by default. Absent when it is not cancelled automatically.',
    ),
  })
  .meta({ id: 'RestaurantOrder' })
export type RestaurantOrder = z.infer<typeof RestaurantOrder>

export const GetRestaurantOrder = operation({
  name: 'restaurant-order',
  summary: "Read one of the restaurant's orders",
  description: 'One order of the restaurant.',
  method: 'GET',
  path: '/restaurantapi/v1/order/:apiKey',
  owner: 'orders',
  admission: 'priority',
  params: OrderInPath,
  response: RestaurantOrder,
  returns: 'The order.',
  examples: { response: restaurantOrder },
  problems: ['order-not-found'],
})
