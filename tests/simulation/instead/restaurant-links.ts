export * from '../../../services/orders/src/store/restaurant-links.ts'
import type * as real from '../../../services/orders/src/store/restaurant-links.ts'
import { statement } from '../database.ts'
import { simulation } from '../simulation.ts'

export const find: typeof real.find = (_db, restaurantApiKey) =>
  statement(`link of ${restaurantApiKey}`, () => simulation().database.links.get(restaurantApiKey) ?? null)
