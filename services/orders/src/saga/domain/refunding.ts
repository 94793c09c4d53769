import { toMoney } from '@platter/contracts'
import type { OrderDispute } from '#/domain/order.ts'
import type { SagaOrder } from '#/domain/order-state.ts'
import { lostOf, releasedOf, reservedOf, returnedOf, type OrderRefund } from '#/domain/refund.ts'
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
 * disputed yet. A pending refund that has failed is no longer pending: the reply to an earlier success may arrive after the failure,
 * which the processor reports only once. A cancelled order gets no new refund, because the release of its payment refunds the
 * remaining amount.
 */
export function setMirrored(
  order: SagaOrder,
  { facts, state }: Saga,
  { version, refunds: made, failed, dispute, at }: Mirrored & { at: number },
): AfterSale | null {
  const isCaptureKnown = !['PENDING', 'AUTHORIZED'].includes(order.paymentState)
  if (!isCaptureKnown || version < (state.mirrored ?? 0)) return null
  const known = order.refunds.map((one): OrderRefund => {
    if (one.state === 'FAILED') return one
    if (failed.includes(one.apiKey)) return failedRefund(one, at)
    return made.find(({ apiKey }) => apiKey === one.apiKey) ?? one
  })
  const own = known.filter(({ requestedBy }) => requestedBy !== 'processor')
  const refunds = order.cancellation
    ? known
    : [...own, ...made].toSorted((one, other) => one.date - other.date)
  const pending = state.refunds?.filter(({ apiKey }) => !failed.includes(apiKey))
  return {
    order: withRefunds({ ...order, dispute: dispute ?? order.dispute }, facts.total, refunds, made),
    state: { ...state, ...(pending && { refunds: pending }), mirrored: version },
  }
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
function withRefunds(
  order: SagaOrder,
  total: number,
  refunds: readonly OrderRefund[],
  made?: readonly OrderRefund[],
): SagaOrder {
  const { paymentState, cancellation } = order
  if (cancellation !== null) {
    // After a lost dispute only the processor's refunds determine the amount of the release.
    if (lostOf(order.dispute) > 0 && !made) return { ...order, refunds }
    const refund = { ...cancellation.refund, amount: toMoney(releasedOf({ ...order, refunds }, total, made)) }
    return { ...order, refunds, cancellation: { ...cancellation, refund } }
  }
  const isAll = returnedOf(refunds) >= total
  const withoutAll = paymentState === 'REFUNDED' ? 'CHARGED' : paymentState
  return { ...order, refunds, paymentState: isAll ? 'REFUNDED' : withoutAll }
}
