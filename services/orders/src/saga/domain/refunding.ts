import { cents, toMoney, type Outcome } from '@platter/contracts'
import type { OrderDispute } from '#/domain/order.ts'
import type { OrderState } from '#/domain/order-state.ts'
import { reservedOf, returnedOf, type OrderRefund } from '#/domain/refund.ts'
import type { Saga, State } from '#/domain/saga-row.ts'

/* What happens to the money of an order after its capture: refunds that are requested here, and what happens at the processor. */

/** The order and the state of its saga afterwards. */
export type AfterSale<O extends OrderState> = { order: O; state: State }

/** `count`: of the refunds that it was computed from. */
export type Requested = { refund: OrderRefund; count: number }

/** What happened to the charge at the processor, without this platform; a later version replaces an earlier one. */
export type Mirrored = {
  version: number
  refunds: readonly OrderRefund[]
  /** The `apiKey`s of refunds of this platform that have failed there, also after they were done. */
  failed: readonly string[]
  dispute: OrderDispute | null
}

/**
 * Requests a refund; cash is back at once. Null when it does not fit the order, or the order has other refunds than those that it
 * was computed from. Never more than the total is refunded.
 */
export function requestRefund<O extends OrderState>(
  order: O,
  { facts: { total, token }, state }: Saga,
  { refund, count }: Requested,
): AfterSale<O> | null {
  const { outcome, paymentState, cancellation } = order
  const isPaid = token === null ? paymentState === 'DUE' : paymentState === 'CHARGED'
  if (outcome !== 'transmitted' || cancellation !== null || !isPaid) return null
  const isLeft = refund.amount > 0 && reservedOf(order.refunds) + refund.amount <= total
  if (order.refunds.length !== count || !isLeft) return null
  const next = withRefunds(order, total, [...order.refunds, refund])
  if (refund.state === 'DONE') return { order: next, state }
  const pending = [...(state.refunds ?? []), { apiKey: refund.apiKey, amount: refund.amount }]
  return { order: next, state: { ...state, refunds: pending } }
}

/** The result of a pending refund, whatever the version of the saga was when it was requested; null when it is not pending. */
export function endRefund<O extends OrderState>(
  order: O,
  { facts, state }: Saga,
  { apiKey, outcome, at }: { apiKey: string; outcome: Outcome; at: number },
): AfterSale<O> | null {
  const { refunds: pending = [] } = state
  if (!pending.some((one) => one.apiKey === apiKey)) return null
  const refunds = order.refunds.map((one): OrderRefund => {
    if (one.apiKey !== apiKey) return one
    return outcome.kind === 'done' ? { ...one, state: 'DONE' } : failedRefund(one, at)
  })
  const left = pending.filter((one) => one.apiKey !== apiKey)
  return { order: withRefunds(order, facts.total, refunds), state: { ...state, refunds: left } }
}

/**
 * Sets what happened at the processor. Null for an earlier version, and before the capture is known here: nothing can be refunded
 * or disputed then. A cancelled order keeps its refunds, because the release of its payment has refunded whatever was left.
 */
export function setMirrored<O extends OrderState>(
  order: O,
  { facts, state }: Saga,
  { version, refunds: made, failed, dispute, at }: Mirrored & { at: number },
): AfterSale<O> | null {
  const isCaptureKnown = !['PENDING', 'AUTHORIZED'].includes(order.paymentState)
  if (order.outcome === 'pending' || !isCaptureKnown || version < (state.mirrored ?? 0)) return null
  const disputed = { ...order, dispute: dispute ?? order.dispute }
  const mirrored = { ...state, mirrored: version }
  if (order.cancellation !== null) return { order: disputed, state: mirrored }
  const own = order.refunds
    .filter(({ requestedBy }) => requestedBy !== 'processor')
    .map((one): OrderRefund => {
      // A pending one ends with its reply.
      const hasReturned = one.state === 'DONE' && failed.includes(one.apiKey)
      return hasReturned ? failedRefund(one, at) : one
    })
  const refunds = [...own, ...made].toSorted((one, other) => one.date - other.date)
  return { order: withRefunds(disputed, facts.total, refunds), state: mirrored }
}

const failedRefund = (one: OrderRefund, at: number): OrderRefund => ({
  ...one,
  state: 'FAILED',
  failedAt: at,
})

/**
 * The order is REFUNDED while all of its total is back. The payment state of a cancelled one is that of its release, which has refunded
 * what a failed refund left.
 */
function withRefunds<O extends OrderState>(order: O, total: number, refunds: readonly OrderRefund[]): O {
  const { paymentState, cancellation } = order
  if (cancellation !== null) {
    const refund = { ...cancellation.refund, amount: toMoney(cents(total - reservedOf(refunds))) }
    return { ...order, refunds, cancellation: { ...cancellation, refund } }
  }
  const isAll = returnedOf(refunds) >= total
  const isUndone = paymentState === 'REFUNDED' && !isAll
  return { ...order, refunds, paymentState: isAll ? 'REFUNDED' : isUndone ? 'CHARGED' : paymentState }
}
