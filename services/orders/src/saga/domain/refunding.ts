import { cents, toMoney } from '@platter/contracts'
import type { OrderDispute } from '#/domain/order.ts'
import type { SagaOrder } from '#/domain/order-state.ts'
import { reservedOf, returnedOf, type OrderRefund } from '#/domain/refund.ts'
import type { Saga, State } from '#/domain/saga-row.ts'

/* The payment of an order after its capture: refunds that are requested here, and changes at the processor. */

/** The order and the state of its saga after the change. */
export type AfterSale = { order: SagaOrder; state: State }

/** `count`: the number of refunds of the order from which it was computed. */
export type Requested = { refund: OrderRefund; count: number }

/** Refunds and the dispute of the charge at the processor that Platter did not request. A later version replaces an earlier one. */
export type Mirrored = {
  version: number
  refunds: readonly OrderRefund[]
  /** The `apiKey`s of Platter's refunds that failed at the processor, including failures after an earlier success. */
  failed: readonly string[]
  dispute: OrderDispute | null
}

/**
 * Requests a refund; a cash refund is done immediately. Null if it does not match the order, or if the order's refunds have changed
 * since it was computed. The refunds never exceed the total.
 */
export function requestRefund(
  order: SagaOrder,
  { facts: { total, token }, state }: Saga,
  { refund, count }: Requested,
): AfterSale | null {
  const { outcome, paymentState, cancellation } = order
  const isPaid = token === null ? paymentState === 'DUE' : paymentState === 'CHARGED'
  if (outcome !== 'transmitted' || cancellation !== null || !isPaid) return null
  const isLeft = reservedOf(order.refunds) + refund.amount <= total
  if (order.refunds.length !== count || !isLeft) return null
  const next = withRefunds(order, total, [...order.refunds, refund])
  if (refund.state === 'DONE') return { order: next, state }
  const pending = [...(state.refunds ?? []), { apiKey: refund.apiKey, amount: refund.amount }]
  return { order: next, state: { ...state, refunds: pending } }
}

/** Applies the result of a pending refund, independent of the saga's version; null if the refund is not pending. */
export function endRefund(
  order: SagaOrder,
  { facts, state }: Saga,
  { apiKey, isDone, at }: { apiKey: string; isDone: boolean; at: number },
): AfterSale | null {
  const { refunds: pending = [] } = state
  if (!pending.some((one) => one.apiKey === apiKey)) return null
  const refunds = order.refunds.map((one): OrderRefund => {
    if (one.apiKey !== apiKey) return one
    return isDone ? { ...one, state: 'DONE' } : failedRefund(one, at)
  })
  const left = pending.filter((one) => one.apiKey !== apiKey)
  return { order: withRefunds(order, facts.total, refunds), state: { ...state, refunds: left } }
}

/**
 * Sets the processor's state. Null for an earlier version, and before the capture is known here, when nothing can be refunded or
 * disputed yet. A cancelled order keeps its other refunds, because the release of its payment has refunded the remaining amount.
 */
export function setMirrored(
  given: SagaOrder,
  saga: Saga,
  { version, refunds: made, failed, dispute, at }: Mirrored & { at: number },
): AfterSale | null {
  const isCaptureKnown = !['PENDING', 'AUTHORIZED'].includes(given.paymentState)
  if (!isCaptureKnown || version < (saga.state.mirrored ?? 0)) return null
  const { order, state } = endFailed(given, saga, { failed, at })
  const disputed = { ...order, dispute: dispute ?? order.dispute }
  const mirrored = { ...state, mirrored: version }
  if (order.cancellation !== null) return { order: disputed, state: mirrored }
  const own = order.refunds
    .filter(({ requestedBy }) => requestedBy !== 'processor')
    .map((one): OrderRefund => {
      const hasReturned = one.state === 'DONE' && failed.includes(one.apiKey)
      return hasReturned ? failedRefund(one, at) : one
    })
  const refunds = [...own, ...made].toSorted((one, other) => one.date - other.date)
  return { order: withRefunds(disputed, saga.facts.total, refunds), state: mirrored }
}

/**
 * Ends the pending refunds that have failed. The reply to an earlier success may arrive after the failure, which the processor
 * reports only once: the refund would stay DONE, although the customer has no money.
 */
function endFailed(order: SagaOrder, saga: Saga, { failed, at }: { failed: readonly string[]; at: number }) {
  return failed.reduce<AfterSale>(
    (ended, apiKey) =>
      endRefund(ended.order, { ...saga, state: ended.state }, { apiKey, isDone: false, at }) ?? ended,
    { order, state: saga.state },
  )
}

const failedRefund = (one: OrderRefund, at: number): OrderRefund => ({
  ...one,
  state: 'FAILED',
  failedAt: at,
})

/**
 * Sets the refunds. The order is REFUNDED while its whole total is returned. The payment state of a cancelled order is that of its
 * release, which has refunded the amount of failed refunds too.
 */
function withRefunds(order: SagaOrder, total: number, refunds: readonly OrderRefund[]): SagaOrder {
  const { paymentState, cancellation } = order
  if (cancellation !== null) {
    const refund = { ...cancellation.refund, amount: toMoney(cents(total - reservedOf(refunds))) }
    return { ...order, refunds, cancellation: { ...cancellation, refund } }
  }
  const isAll = returnedOf(refunds) >= total
  const isUndone = paymentState === 'REFUNDED' && !isAll
  return { ...order, refunds, paymentState: isAll ? 'REFUNDED' : isUndone ? 'CHARGED' : paymentState }
}
