import type { Operation } from '@platter/contracts'
import type { Call, Tenant } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { z } from 'zod'
import { PostgresChanges, type ChangeStore } from '#/store/changes.ts'
import { PostgresDeliveries, type DeliveryStore } from '#/store/deliveries.ts'
import { PostgresIdempotencyKeys, type IdempotencyKeyStore } from '#/store/idempotency-keys.ts'
import { PostgresIncidents, type IncidentStore } from '#/store/incidents.ts'
import { PostgresOrderStories, type OrderStoryStore } from '#/store/order-story.ts'
import { PostgresOrders, type OrderStore } from '#/store/orders.ts'
import { PostgresOrderSearch, type OrderSearch } from '#/store/order-search.ts'
import { PostgresReconciliation, type ReconciliationStore } from '#/store/reconciliation.ts'
import { PostgresRestaurantLinks, type RestaurantLinkStore } from '#/store/restaurant-links.ts'
import { PostgresRestaurantOrders, type RestaurantOrderStore } from '#/store/restaurant-orders.ts'
import { PostgresSagas, type SagaStore } from '#/store/sagas.ts'
import type { Db } from '#/store/tables.ts'

export type Stores = {
  changes: ChangeStore
  deliveries: DeliveryStore
  idempotencyKeys: IdempotencyKeyStore
  incidents: IncidentStore
  orders: OrderStore
  orderSearch: OrderSearch
  orderStories: OrderStoryStore
  reconciliation: ReconciliationStore
  restaurantLinks: RestaurantLinkStore
  restaurantOrders: RestaurantOrderStore
  sagas: SagaStore
}

/** The stores of a client application. They contain only its own rows (row-level security). */
export type OwnStores = (caller: Tenant) => Stores

/** Returns the stores of one connection: the service's own, a tenant-scoped one, or a transaction. */
export const postgresStores = (db: Db): Stores => ({
  changes: new PostgresChanges(db),
  deliveries: new PostgresDeliveries(db),
  idempotencyKeys: new PostgresIdempotencyKeys(db),
  incidents: new PostgresIncidents(db),
  orders: new PostgresOrders(db),
  orderSearch: new PostgresOrderSearch(db),
  orderStories: new PostgresOrderStories(db),
  reconciliation: new PostgresReconciliation(db),
  restaurantLinks: new PostgresRestaurantLinks(db),
  restaurantOrders: new PostgresRestaurantOrders(db),
  sagas: new PostgresSagas(db),
})

export type Idempotent = ReturnType<typeof postgresIdempotent>

/** Returns `idempotent` of the kit, with the stores of the transaction for the work. */
export const postgresIdempotent =
  (db: Db) =>
  <const O extends Operation>(operation: O) => {
    const { execute, ...others } = idempotent(db, operation)
    type Work = (stores: Stores) => Promise<z.input<O['response']>>
    return {
      ...others,
      execute: (call: Call<O>, work: Work) => execute(call, (trx) => work(postgresStores(trx))),
    }
  }
