import { cents, toMoney, type Cancellation, type PaymentState, type Refusal } from '@platter/contracts'
import type { DeliveryResult, DeliveryState, SagaOrder } from '#/domain/order-state.ts'
import type { Saga, SendOrderFacts, State } from '#/domain/saga-row.ts'

/* The failure of a saga and its effects: the cancellation, the notice to the restaurant, the state of the order. */

/** Payment states without a capture. */
const UNPAID: readonly PaymentState[] = ['PENDING', 'DUE', 'AUTHORIZED']

export const tooLate: Refusal = {
  code: 'payment-unavailable',
  detail: 'The payment could not be authorized in time. Your card was not charged.',
}

/** Returns the order at the end of a failed saga, at `at` (epoch seconds). */
export function fail(order: SagaOrder, { facts, state }: Saga, at: number): SagaOrder {
  return {
    ...order,
    outcome: order.outcome === 'pending' ? 'failed' : order.outcome,
    paymentState: UNPAID.includes(order.paymentState) ? 'VOIDED' : order.paymentState,
    cancellation: order.cancellation ?? (state.refusal && cancellationOf(facts, state.refusal, at)),
  }
}

/** Returns the notice to a restaurant that did not respond before the deadline, and may have the order nevertheless. */
export function noticeOf({ done, refusal }: State): DeliveryState | null {
  const isUnreachable = refusal?.code === 'restaurant-unreachable' && !done.includes('transmit')
  return isUnreachable ? { outcome: 'unreachable', link: null, noticeInMs: 0 } : null
}

type Cancelling = {
  by: Cancellation['cancelledBy']
  onlyUnstarted: boolean
  until?: number
  at: number
}

/** Restaurants and deadlines cancel only orders that a restaurant has; customers and operators also cancel pending ones. */
export function mayBeCancelled(
  { outcome, status, cancellation }: SagaOrder,
  { refusal }: State,
  { by, onlyUnstarted, until = Infinity, at }: Cancelling,
): boolean {
  if (cancellation !== null || at > until) return false
  if (outcome === 'pending') return isByOthers(by) && refusal === null
  return (
    outcome === 'transmitted' && (onlyUnstarted ? status === 'AWAITING_PREPARATION' : status !== 'DELIVERED')
  )
}

/** Returns whether the restaurant did not cancel the order itself, so that it needs a notice. */
const isByOthers = (by: Cancellation['cancelledBy']): boolean => by === 'customer' || by === 'operator'

/**
 * The notice of a cancellation waits until no attempt can be running, because no order may arrive after its cancellation: an attempt
 * takes 10 s, and its lease ends 3 s after its replica dies.
 */
const NOTICE_DELAY_MS = 15_000

/**
 * The end of a delivery whose restaurant may have the order, or may be receiving it. A failed order has its notice at the end of its
 * void (`noticeOf`), or after this delay while the processor is unavailable.
 */
export const UNREACHABLE: DeliveryState = { outcome: 'unreachable', link: null, noticeInMs: NOTICE_DELAY_MS }

/** Returns the notice of a cancellation to a restaurant that has the order, or (`isDelivering`) may be receiving it. */
export function noticeOfCancellation(
  by: Cancellation['cancelledBy'],
  isDelivering: boolean,
  { done }: State,
): DeliveryState | null {
  if (!isByOthers(by)) return null
  if (isDelivering) return UNREACHABLE
  return done.includes('transmit') ? { outcome: 'accepted', link: null, noticeInMs: 0 } : null
}

export function cancellationOf(
  { total, token }: SendOrderFacts,
  { code, detail }: Refusal,
  at: number,
): Cancellation {
  return {
    reason: code,
    message: detail,
    cancelledBy: code === 'order-refused' ? 'restaurant' : 'system',
    date: at,
    refund: { amount: toMoney(token === null ? cents(0) : total), state: 'VOIDED' },
  }
}

/** Returns the refusal of an order that its restaurant did not accept. */
export const refusalOf = (result: Exclude<DeliveryResult, { outcome: 'accepted' }>): Refusal =>
  result.outcome === 'refused'
    ? { code: 'order-refused', detail: `The restaurant refused the order: ${result.reason}` }
    : { code: 'restaurant-unreachable', detail: 'The restaurant could not be reached.' }
