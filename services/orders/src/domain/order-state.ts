import type { Refusal, RestaurantLink } from '@platter/contracts'
import { firstPaymentState, type PlacedOrder, type PricedOrder } from '#/domain/order.ts'

/** pending: the saga runs; transmitted: the restaurant has accepted the order; failed: the saga has compensated. */
export type OrderOutcome = 'pending' | 'transmitted' | 'failed'

/** The end of a delivery. unreachable: the restaurant has not responded, and may have the order nevertheless. */
export type DeliveryOutcome = 'accepted' | 'refused' | 'unreachable'

export type LinkKind = RestaurantLink['kind']
export type WebhookLink = Extract<RestaurantLink, { kind: 'webhook' }>

/** The part of an order that its saga changes. */
export type OrderState = Pick<
  PlacedOrder,
  'status' | 'paymentState' | 'paymentAction' | 'cancellation' | 'refunds' | 'dispute'
> & {
  outcome: OrderOutcome
  /** Send-order has returned the order while it was pending. Also set by a failure that occurs after the response was due. */
  isReturned?: boolean
}

/** An order with its outcome, loaded together with its saga. */
export type SagaOrder = PlacedOrder & OrderState

/** The transmission of an order to its restaurant. */
export type DeliveryState = {
  /** Null while attempts are made. */
  outcome: DeliveryOutcome | null
  /** The link that accepted or refused; null keeps the link of the last attempt. */
  link: LinkKind | null
  /** The restaurant has, or may have, the cancelled order: it is notified after this time. Null: no notice. */
  noticeInMs: number | null
}

/** The end of a delivery, with its reason. */
export type DeliveryResult =
  | { outcome: 'accepted'; link: LinkKind }
  | { outcome: 'refused'; link: LinkKind; reason: string }
  | { outcome: 'unreachable' }

/**
 * The duration of a lease. After it and a sweep (0.5 s), another replica continues the deliveries of a killed replica, within the
 * client's deadline.
 */
export const LEASE_MS = 3_000

/** Returns an order before commit 1, at `at` (epoch seconds). The database assigns its id and `reports`. */
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
  reports: 'detailed',
})

/** The facts that decide the visibility of an order. */
export type Marks = {
  outcome: OrderOutcome
  isReturned: boolean
  /** A client has read the order while it was pending. */
  isRead: boolean
}

/**
 * Returns whether clients may see the order. An order that failed before any client saw it is hidden (docs/interface.md, "Order
 * outcomes").
 */
export const isVisible = ({ outcome, isReturned, isRead }: Marks): boolean =>
  outcome !== 'failed' || isReturned || isRead

/** Returns whether the order stays visible if it fails. */
export const staysVisible = ({ outcome, isReturned, isRead }: Marks): boolean =>
  outcome !== 'pending' || isReturned || isRead

/** The result of an order for its pending request. */
export type OrderResult =
  | { kind: 'pending'; order: PlacedOrder }
  /** The client receives the Order: the restaurant has accepted it, or it failed after send-order had returned it. */
  | { kind: 'visible'; order: PlacedOrder }
  | { kind: 'failed'; refusal: Refusal }

/** `refusal`: the refusal of its saga. Throws for a failed order without one. */
export function resultOf(order: SagaOrder, refusal: Refusal | null): OrderResult {
  if (order.outcome === 'pending') return { kind: 'pending', order }
  if (order.outcome === 'transmitted' || order.isReturned) return { kind: 'visible', order }
  if (!refusal) throw new Error(`order ${order.apiKey} failed without a refusal`)
  return { kind: 'failed', refusal }
}
