import type { RestaurantLinkStore } from '../../../services/orders/src/store/restaurant-links.ts'
import { statement } from '../database.ts'
import { simulation } from '../simulation.ts'

const find: RestaurantLinkStore['find'] = (restaurantApiKey) =>
  statement(`link of ${restaurantApiKey}`, () => simulation().database.links.get(restaurantApiKey) ?? null)

export const restaurantLinks = { find }
