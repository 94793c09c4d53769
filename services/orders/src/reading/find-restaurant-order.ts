import type { PrincipalOf, RestaurantOrder } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { recordWithAcceptBy, type ReceivedOrder } from '#/domain/restaurant-order.ts'
import type { Stores } from '#/store/stores.ts'

/** `startWithinMs`: the time that an order may wait on a console. */
export type Deps = { restaurantOrders: Stores['restaurantOrders']; startWithinMs: number }

/** Returns an order of a restaurant. Throws Problem order-not-found for an order of another restaurant. */
export async function findReceivedOrder(
  restaurantOrders: Stores['restaurantOrders'],
  { restaurantApiKey }: PrincipalOf<'restaurant'>,
  apiKey: string,
): Promise<ReceivedOrder> {
  const found = await restaurantOrders.find(restaurantApiKey, apiKey)
  if (!found) throw new Problem('order-not-found')
  return found
}

/**
 * Returns the problem of a change to an order whose delivery is open: its restaurant has it, but has not responded, or the response
 * is not stored yet. Null for any other order.
 */
export const notAcceptedYet = ({ status, cancellation }: RestaurantOrder): Problem | null =>
  status === 'PROCESSING' && cancellation === null
    ? new Problem('not-accepted-yet', 'The order is not accepted yet. Respond to its webhook first.', {
        retryAfterSeconds: 1,
      })
    : null

/** Returns the restaurant's record of an order. Throws Problem order-not-found for an order of another restaurant. */
export async function findRestaurantOrder(
  { restaurantOrders, startWithinMs }: Deps,
  principal: PrincipalOf<'restaurant'>,
  apiKey: string,
): Promise<RestaurantOrder> {
  return recordWithAcceptBy(await findReceivedOrder(restaurantOrders, principal, apiKey), startWithinMs)
}
