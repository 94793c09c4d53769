import type { Refusal, RestaurantLink } from '@platter/contracts'
import { firstPaymentState, type PlacedOrder, type PricedOrder } from '#/domain/order.ts'

/** pending: the saga runs; transmitted: the restaurant has accepted; failed: the saga has compensated. */
export type OrderOutcome = 'pending' | 'transmitted' | 'failed'

/** The part of an order that its saga changes. */
export type OrderState = Pick<
  PlacedOrder,
  'status' | 'paymentState' | 'paymentAction' | 'cancellation' | 'refunds' | 'dispute'
> & {
  outcome: OrderOutcome
  /** Set by a failure after the response was due. Send-order sets it itself, unless PostgreSQL accepts no writes. */
  told?: boolean
}

/** An order with its outcome, as loaded with its saga. */
export type SagaOrder = PlacedOrder & OrderState

/** The transmission of an order to its restaurant. */
export type DeliveryState = {
  /** Null while attempts are made. */
  outcome: 'accepted' | 'refused' | 'unreachable' | null
  /** The link that accepted or refused; null leaves that of the last attempt. */
  link: RestaurantLink['kind'] | null
  /** The restaurant has the cancelled order, or may have it: it is notified after this time. Null without a notice. */
  noticeInMs: number | null
}

/** The end of a delivery. */
export type DeliveryResult =
  | { outcome: 'accepted'; link: RestaurantLink['kind'] }
  | { outcome: 'refused'; link: RestaurantLink['kind']; reason: string }
  | { outcome: 'unreachable' }

/**
 * A replica has the exclusive right to make an attempt for this time. After it and a sweep (0.5 s) another replica continues the
 * deliveries of a killed one: within the client's deadline.
 */
export const LEASE_MS = 3_000

/** An order before its acceptance, at `at` (epoch seconds). The database assigns its id and `reports`. */
export const newOrder = (apiKey: string, priced: PricedOrder, at: number): SagaOrder => ({
  ...priced,
  apiKey,
  id: 0,
  datePlaced: at,
  status: 'PROCESSING',
  outcome: 'pending',
  paymentState: firstPaymentState(priced),
  cancellation: null,
  refunds: [],
  dispute: null,
  reports: null,
})

/** A pending order is marked when send-order returns it, and when a client reads it. */
type Marks = { outcome: OrderOutcome; told: boolean; shown: boolean }

/** An order that failed before any client saw it is hidden (docs/interface.md, "Order outcomes"). */
export const isVisible = ({ outcome, told, shown }: Marks): boolean => outcome !== 'failed' || told || shown

/** Whether the order stays visible when it fails. */
export const staysVisible = ({ outcome, told, shown }: Marks): boolean =>
  outcome !== 'pending' || told || shown

/** The result of an order for its pending request. */
export type OrderResult =
  | { kind: 'pending'; order: PlacedOrder }
  /** Its restaurant has it, or it failed after send-order had returned it. */
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
