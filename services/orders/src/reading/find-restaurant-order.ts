import type { PrincipalOf, RestaurantOrder } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { restaurantOrderRecord } from '#/domain/restaurant-order.ts'
import * as restaurantOrders from '#/store/restaurant-orders.ts'
import type { Db } from '#/store/tables.ts'

/** One order as its restaurant sees it; another restaurant's is `order-not-found`. */
export async function readRestaurantOrder(
  { db, acceptWithinMs }: { db: Db; acceptWithinMs: number },
  { restaurantApiKey }: PrincipalOf<'restaurant'>,
  apiKey: string,
): Promise<RestaurantOrder> {
  const found = await restaurantOrders.find(db, restaurantApiKey, apiKey)
  if (!found) throw new Problem('order-not-found', 'There is no such order.')
  return restaurantOrderRecord(found, acceptWithinMs)
}
