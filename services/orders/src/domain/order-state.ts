import type { Refusal, RestaurantLink } from '@platter/contracts'
import { firstPaymentState, type PlacedOrder, type PricedOrder } from '#/domain/order.ts'

/** pending: the saga runs; transmitted: the restaurant has it; failed: it came to nothing. */
export type OrderOutcome = 'pending' | 'transmitted' | 'failed'

/** The part of an order that its saga changes. */
export type OrderState = Pick<PlacedOrder, 'status' | 'paymentState' | 'cancellation'> & {
  outcome: OrderOutcome
  /** Set by a failure after the answer was due. Send-order marks an answer itself, unless PostgreSQL takes no writes then. */
  told?: boolean
}

/** An order with its outcome, as loaded with its saga. */
export type SagaOrder = PlacedOrder & OrderState

/** The transmission of an order to its restaurant. */
export type DeliveryState = {
  /** Null while attempts are made. */
  outcome: 'accepted' | 'refused' | 'unreachable' | null
  /** By which it was accepted or refused; null leaves that of the last attempt. */
  link: RestaurantLink['kind'] | null
  /** The restaurant may have the order although it was given up, and has to be notified of the cancellation. */
  isNoticeDue: boolean
}

/**
 * A replica has the exclusive right to make an attempt for this time. After it and a sweep (0.5 s) another replica continues the
 * deliveries of a killed one: within the client's deadline.
 */
export const LEASE_MS = 3_000

/** An order before its acceptance, at `at` (epoch seconds); its id and how its restaurant reports are the database's to say. */
export const newOrder = (apiKey: string, priced: PricedOrder, at: number): SagaOrder => ({
  ...priced,
  apiKey,
  id: 0,
  datePlaced: at,
  status: 'PROCESSING',
  outcome: 'pending',
  paymentState: firstPaymentState(priced),
  cancellation: null,
  reports: null,
})

/** Who has seen an order while it was pending: send-order has answered with it (`told`), or a client has read it (`shown`). */
type Seen = { outcome: OrderOutcome; told: boolean; shown: boolean }

/** What failed before any client saw it was never an order (docs/interface.md, "Order outcomes"). */
export const isVisible = ({ outcome, told, shown }: Seen): boolean => outcome !== 'failed' || told || shown

/** Whether it is visible for good. A pending order that no client has seen is hidden when it fails. */
export const staysVisible = ({ outcome, told, shown }: Seen): boolean =>
  outcome !== 'pending' || told || shown

/** Where an order stands for the request that waits for it. */
export type OrderResult =
  | { kind: 'pending'; order: PlacedOrder }
  /** Its restaurant has it; or it was cancelled after send-order had answered with it. */
  | { kind: 'placed'; order: PlacedOrder }
  | { kind: 'failed'; refusal: Refusal }

/** `refusal`: of its saga. Throws for an order that failed without one. */
export function resultOf(
  order: SagaOrder,
  { told, refusal }: { told: boolean; refusal: Refusal | null },
): OrderResult {
  if (order.outcome === 'pending') return { kind: 'pending', order }
  if (order.outcome === 'transmitted' || told) return { kind: 'placed', order }
  if (!refusal) throw new Error(`order ${order.apiKey} failed without a refusal`)
  return { kind: 'failed', refusal }
}
