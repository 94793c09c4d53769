import type { Operation } from '@platter/contracts'
import { Rendered, type Call } from '@platter/kit'
import type { Idempotent, Stores } from '../../services/orders/src/store/stores.ts'
import { deliveries } from './stores/deliveries.ts'
import { idempotencyKeys } from './stores/idempotency-keys.ts'
import { orders, orderStories, restaurantLinks, restaurantOrders } from './stores/orders.ts'
import { sagas } from './stores/sagas.ts'

const simulated = {
  deliveries,
  idempotencyKeys,
  orders,
  orderStories,
  restaurantLinks,
  restaurantOrders,
  sagas,
}

/** The stores of orders over the simulated database. They have the functions on the path of an order. */
export const stores = simulated satisfies {
  [Name in keyof typeof simulated]: Partial<Stores[Name]>
} as unknown as Stores

/**
 * Stores no responses. A repeated request executes its work again, as after a crash before the response was stored.
 * `idempotency-keys.ts` has the variant of send-order.
 */
export const idempotent = (() => ({
  executeRepeatable: async (_call: Call<Operation>, work: () => Promise<unknown>) =>
    new Rendered(JSON.stringify(await work())),
})) as unknown as Idempotent
