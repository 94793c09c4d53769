import { toMoney, type Cents } from '@platter/contracts'
import type { SagaOrder } from '#/domain/order-state.ts'
import {
  lostOf,
  releasedOf,
  reservedOf,
  returnedOf,
  type OrderDispute,
  type OrderRefund,
} from '#/domain/refund.ts'
import type { Saga, State } from '#/domain/saga-row.ts'

/* The payment of an order after its capture: refunds that are requested here, and changes at the processor. */

/** The order and the state of its saga after the change. */
export type AfterSale = { order: SagaOrder; state: State }

/** `count`: the number of refunds of the order from which it was computed. */
export type RequestedRefund = { refund: OrderRefund; count: number }

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
  { refund, count }: RequestedRefund,
): AfterSale | null {
  const { outcome, paymentState, cancellation } = order
  const isPaid = token === null ? paymentState === 'DUE' : paymentState === 'CHARGED'
  if (outcome !== 'transmitted' || cancellation !== null || !isPaid) return null
  const isLeft = reservedOf(order.refunds) + refund.amount <= total
  if (order.refunds.length !== count || !isLeft) return null
  const next = withRefunds(order, total, [...order.refunds, refund], null)
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
  // The release has waited for this result. Once the processor has reported refunds or a dispute, only its reports determine the amount.
  const released = state.mirrored === undefined ? releasedOf({ ...order, refunds }, facts.total) : null
  return { order: withRefunds(order, facts.total, refunds, released), state: { ...state, refunds: left } }
}

/**
 * Sets the processor's state. Null for an earlier version, and before the reply to the capture, which would overwrite the payment
 * state. After a cancellation none is expected. A pending refund that has failed is no longer pending: the reply to an earlier success
 * may arrive after the failure, which the processor reports only once. A cancelled order gets no new refund, because the release of its
 * payment refunds the remaining amount.
 */
export function setMirrored(
  order: SagaOrder,
  { facts, state }: Saga,
  { version, refunds: made, failed, dispute, at }: Mirrored & { at: number },
): AfterSale | null {
  const isCaptureKnown =
    order.cancellation !== null || !['PENDING', 'AUTHORIZED'].includes(order.paymentState)
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
  const disputed = { ...order, dispute: dispute ?? order.dispute }
  const released = releasedBy({ ...disputed, refunds: known }, { facts, state }, made)
  return {
    order: withRefunds(disputed, facts.total, refunds, released),
    state: { ...state, ...(pending && { refunds: pending }), mirrored: version },
  }
}

/**
 * Returns what the release of a cancelled order refunds; null leaves it unchanged. It is what the refunds `made` at the processor
 * contain of it, also while the reply to the release is missing: one of them may fail later, and a failure of an earlier refund no
 * longer increases it. The first report after the release may not contain its refund yet.
 */
function releasedBy(
  order: Pick<SagaOrder, 'refunds' | 'dispute'>,
  { facts, state }: Pick<Saga, 'facts' | 'state'>,
  made: readonly OrderRefund[],
): Cents | null {
  const ofRelease = made.filter(({ apiKey }) => !order.refunds.some((one) => one.apiKey === apiKey))
  if (lostOf(order.dispute) > 0 || ofRelease.length > 0) return reservedOf(ofRelease)
  return state.undone.includes('authorize') ? null : releasedOf(order, facts.total)
}

const failedRefund = (one: OrderRefund, at: number): OrderRefund => ({
  ...one,
  state: 'FAILED',
  failedAt: at,
})

/**
 * Sets the refunds. The order is REFUNDED while its whole total is returned. The payment state of a cancelled order is that of its
 * release, which has refunded `released`; null leaves that amount unchanged.
 */
function withRefunds(
  order: SagaOrder,
  total: number,
  refunds: readonly OrderRefund[],
  released: Cents | null,
): SagaOrder {
  const { paymentState, cancellation } = order
  if (cancellation !== null) {
    if (released === null) return { ...order, refunds }
    const refund = { ...cancellation.refund, amount: toMoney(released) }
    return { ...order, refunds, cancellation: { ...cancellation, refund } }
  }
  const isAll = returnedOf(refunds) >= total
  const withoutAll = paymentState === 'REFUNDED' ? 'CHARGED' : paymentState
  return { ...order, refunds, paymentState: isAll ? 'REFUNDED' : withoutAll }
}
