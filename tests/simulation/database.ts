import type { RestaurantLink, TokenizedCard } from '@platter/contracts'
import type { Saga } from '../../services/orders/src/domain/saga-row.ts'
import type { OrderRow } from '../../services/orders/src/store/order-row.ts'
import type { Stores } from '../../services/orders/src/store/stores.ts'
import type { RefundRow } from '../../services/payments/src/domain/refund.ts'
import type { AuthorizationStore } from '../../services/payments/src/store/authorizations.ts'
import type { RefundStore } from '../../services/payments/src/store/refunds.ts'
import type { MemoryRows } from '../../services/payments/src/testing/memory-authorizations.ts'
import { database, currentProcess, world } from './simulation.ts'
import { ordersStores } from './stores-of-orders.ts'
import { paymentsStores, type CardStore } from './stores-of-payments.ts'

/** Times are virtual milliseconds. */
export type SagaRow = { saga: Saga; wakeAt: number; deadlineAt: number }

export type DeliveryRow = {
  attempts: number
  unsentAttempts: number
  busyUntil: number
  deadlineAt: number
  lastResult: string | null
  outcome: 'accepted' | 'refused' | 'unreachable' | null
  linkKind: RestaurantLink['kind'] | null
  cancelAt: number | null
  cancelAttempts: number
}

export type KeyRow = {
  /** Null for a refused request. */
  orderApiKey: string | null
  busyUntil: number
  status: number | null
  body: string | null
}

export type AllStores = Stores & {
  authorizations: AuthorizationStore
  refunds: RefundStore
  cards: CardStore
}
/** The functions of the stores on the path of an order. */
export type InMemoryStores = { [Name in keyof AllStores]?: Partial<AllStores[Name]> }

/** The tables on the path of an order. A row is replaced, never changed, so a reader keeps the state that it has read. */
export class Database {
  readonly orders = new Map<string, OrderRow>()
  readonly statuses = new Map<string, string[]>()
  readonly sagas = new Map<string, SagaRow>()
  readonly deliveries = new Map<string, DeliveryRow>()
  readonly keys = new Map<string, KeyRow>()
  readonly links = new Map<string, RestaurantLink>()
  readonly authorizations: MemoryRows = new Map()
  readonly refunds = new Map<string, { row: RefundRow; sentAt: number }>()
  readonly cards = new Map<string, TokenizedCard & { userApiKey: string }>()
  /** No statement has a result until then. */
  downUntil = 0

  /** The effects of the statements. */
  readonly effects: InMemoryStores = { ...ordersStores(this), ...paymentsStores(this) }

  /** The stores of the services. Each call is one statement. */
  readonly stores = Object.fromEntries(
    Object.entries(this.effects).map(([name, store]) => [name, asStatements(name, store)]),
  ) as unknown as AllStores

  get isDown(): boolean {
    return this.downUntil > world.now
  }

  get isAnySagaUnfinished(): boolean {
    return this.sagas.values().some(({ saga }) => !saga.isFinished)
  }
}

const asStatements = (store: string, effects: object) =>
  Object.fromEntries(
    Object.entries(effects).map(([name, effect]: [string, (...args: unknown[]) => unknown]) => [
      name,
      (...args: unknown[]) => {
        // A text of the arguments costs more than the statement.
        const text = world.history ? JSON.stringify(args).slice(0, 60) : ''
        return statement(`${store}.${name} ${text}`, () => effect(...args))
      },
    ]),
  )

/** The client stops waiting for a result after this time (packages/kit, postgres). The statement continues. */
const QUERY_TIMEOUT_MS = 5_000
const SLOWEST_MS = 15_000

/**
 * Runs one statement as one transaction, so no other event runs between the parts of its effect. The statement may fail, be slow,
 * or succeed without a response to its caller.
 */
function statement<T>(name: string, effect: () => T): Promise<Awaited<T>> {
  const caller = currentProcess()
  return new Promise((resolve, reject) => {
    const fail = (reason: string, inMs = world.hop()) =>
      world.schedule(inMs, caller, () => reject(Object.assign(new Error(reason), { code: 'ECONNRESET' })))
    if (database.isDown || world.faultOccurs('statement refused', name)) return fail('refused')
    const durationMs =
      world.hop() + (world.faultOccurs('statement slow', name) ? world.random.next() * SLOWEST_MS : 0)
    if (durationMs > QUERY_TIMEOUT_MS) fail('Query read timeout', QUERY_TIMEOUT_MS)
    world.deliverRequest(durationMs, caller, () => {
      if (database.isDown) return fail('lost')
      const result = Promise.try(effect)
      // A caller that has died, or whose result is lost, does not handle an error.
      result.catch(() => undefined)
      world.note(`SQL of ${caller.name}: ${name}`)
      if (world.faultOccurs('statement done, result lost', name)) return fail('lost')
      world.schedule(world.hop(), caller, () => resolve(result))
    })
  })
}
