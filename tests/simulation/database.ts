import type { RestaurantLink, TokenizedCard } from '@platter/contracts'
import type { PlacedOrder } from '../../services/orders/src/domain/order.ts'
import type { SendOrderFacts, State } from '../../services/orders/src/domain/saga-row.ts'
import type { RefundRow } from '../../services/payments/src/domain/refund.ts'
import type { MemoryRows } from '../../services/payments/src/testing/memory-authorizations.ts'
import { me, simulation, world } from './simulation.ts'

export type OrderRow = PlacedOrder & {
  applicationId: string
  outcome: 'pending' | 'transmitted' | 'failed'
  told: boolean
  shown: boolean
}

export type SagaRow = {
  orderApiKey: string
  version: number
  attempt: number
  facts: SendOrderFacts
  state: State
  requestId: string
  wakeAt: number
  deadlineAt: number
  finishedAt: number | null
}

export type DeliveryRow = {
  attempts: number
  busyUntil: number
  deadlineAt: number
  lastResult: string | null
  outcome: 'accepted' | 'refused' | 'unreachable' | null
  linkKind: RestaurantLink['kind'] | null
  cancelAt: number | null
  cancelUntil: number
  cancelAttempts: number
}

export type KeyRow = {
  fingerprint: string
  /** Null for a refused request. */
  orderApiKey: string | null
  busyUntil: number
  status: number | null
  body: string | null
}

/** The tables on the path of an order. A row is replaced, never changed, so a reader keeps the state that it has read. */
export class Database {
  readonly orders = new Map<string, OrderRow>()
  readonly statuses = new Map<string, string[]>()
  readonly sagas = new Map<string, SagaRow>()
  readonly deliveries = new Map<string, DeliveryRow>()
  readonly keys = new Map<string, KeyRow>()
  readonly links = new Map<string, RestaurantLink>()
  /** `sentAt` in virtual milliseconds. */
  readonly authorizations: MemoryRows = new Map()
  readonly refunds = new Map<string, { row: RefundRow; sentAt: number }>()
  readonly cards = new Map<string, TokenizedCard & { userApiKey: string }>()
  /** No statement has a result until then. */
  downUntil = 0
  /** Every state of any saga in the run. */
  readonly seen = new Set<string>()

  get isAnySagaDue(): boolean {
    const { now } = world()
    for (const { finishedAt, wakeAt } of this.sagas.values())
      if (finishedAt === null && wakeAt <= now) return true
    return false
  }

  get isAnyDeliveryDue(): boolean {
    const { now } = world()
    for (const { outcome, busyUntil } of this.deliveries.values())
      if (outcome === null && busyUntil <= now) return true
    return false
  }

  get isAnyNoticeDue(): boolean {
    const { now } = world()
    for (const { cancelAt } of this.deliveries.values()) if (cancelAt !== null && cancelAt <= now) return true
    return false
  }

  get unfinished(): number {
    return [...this.sagas.values()].filter(({ finishedAt }) => finishedAt === null).length
  }
}

/** The client stops waiting for a result after this time (packages/kit, postgres). The statement continues. */
const QUERY_TIMEOUT_MS = 5_000
const SLOWEST_MS = 15_000

/**
 * Runs one statement as one transaction, so no other event runs between the parts of its effect. The statement may fail, be slow,
 * or succeed without a response to its caller.
 */
export function statement<T>(name: string, effect: () => T | Promise<T>): Promise<T> {
  const { world: here, database } = simulation()
  const caller = me()
  const isDown = () => database.downUntil > here.now
  return new Promise<T>((resolve, reject) => {
    const fail = (reason: string, inMs = here.hop()) =>
      here.later(inMs, caller, () => reject(Object.assign(new Error(reason), { code: 'ECONNRESET' })))
    if (isDown() || here.strikes('statement refused', name)) return void fail('refused')
    const takes = here.hop() + (here.strikes('statement slow', name) ? here.random.next() * SLOWEST_MS : 0)
    if (takes > QUERY_TIMEOUT_MS) fail('Query read timeout', QUERY_TIMEOUT_MS)
    here.arrive(takes, caller, () => {
      if (isDown()) return void fail('lost')
      const result = Promise.try(effect)
      // A caller that has died, or whose result is lost, does not handle an error.
      result.catch(() => undefined)
      here.note(`SQL of ${caller.name}: ${name}`)
      if (here.strikes('statement done, result lost', name)) return void fail('lost')
      here.later(here.hop(), caller, () => resolve(result))
    })
  })
}
