import type { Stores } from '../../../services/orders/src/store/stores.ts'
import { deliveries } from './deliveries.ts'
import { idempotencyKeys } from './idempotency-keys.ts'
import { orders } from './orders.ts'
import { restaurantLinks } from './restaurant-links.ts'
import { restaurantOrders } from './restaurant-orders.ts'
import { sagas } from './sagas.ts'

const simulated = { deliveries, idempotencyKeys, orders, restaurantLinks, restaurantOrders, sagas }

/** The stores of orders over the simulated database, as far as the path of an order uses them. */
export const stores = simulated satisfies {
  [Name in keyof typeof simulated]: Partial<Stores[Name]>
} as unknown as Stores
