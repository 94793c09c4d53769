import type { Operation } from '@platter/contracts'
import type { Call, Tenant, Db } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { z } from 'zod'
import { PostgresChanges } from '#/store/changes.ts'
import { PostgresDeliveries } from '#/store/deliveries.ts'
import { PostgresIdempotencyKeys } from '#/store/idempotency-keys.ts'
import { PostgresIncidents } from '#/store/incidents.ts'
import { PostgresOrderStories } from '#/store/order-story.ts'
import { PostgresOrders } from '#/store/orders.ts'
import { PostgresOrderSearch } from '#/store/order-search.ts'
import { PostgresReconciliation } from '#/store/reconciliation.ts'
import { PostgresRestaurantLinks } from '#/store/restaurant-links.ts'
import { PostgresRestaurantOrders } from '#/store/restaurant-orders.ts'
import { PostgresSagas } from '#/store/sagas.ts'

/** Returns the stores of one connection: the service's own, a tenant-scoped one, or a transaction. */
export const postgresStores = (db: Db) => ({
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

type Ports<All> = { [Name in keyof All]: Pick<All[Name], keyof All[Name]> }
/** The public members of the stores, which a test double can implement. */
export type Stores = Ports<ReturnType<typeof postgresStores>>

/** The stores of a client application. They contain only its own rows (row-level security). */
export type TenantStores = (caller: Tenant) => Stores

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
