import { cents, toMoney } from '@platter/contracts'
import type { OrderState } from '#/domain/order-state.ts'
import { reservedOf, returnedOf, type OrderRefund } from '#/domain/refund.ts'
import type { SendOrderFacts } from '#/domain/saga-row.ts'

/** Whether a refund fits an order that has the refunds it was computed from. Never more than the total is refunded. */
export function mayBeRefunded(
  { outcome, paymentState, cancellation, refunds }: OrderState,
  { total, token }: SendOrderFacts,
  { refund, count }: { refund: OrderRefund; count: number },
): boolean {
  const isPaid = token === null ? paymentState === 'DUE' : paymentState === 'CHARGED'
  const isOpen = outcome === 'transmitted' && cancellation === null && isPaid
  return (
    isOpen && refunds.length === count && refund.amount > 0 && reservedOf(refunds) + refund.amount <= total
  )
}

/**
 * The order after the result of a refund. When all of its total is back, it is REFUNDED. The release of a cancelled order has
 * refunded what a failed refund left.
 */
export function withResult<O extends OrderState>(
  order: O,
  { total }: SendOrderFacts,
  { apiKey, state }: Pick<OrderRefund, 'apiKey' | 'state'>,
): O {
  const refunds = order.refunds.map((one) => (one.apiKey === apiKey ? { ...one, state } : one))
  if (order.cancellation) {
    const left = toMoney(cents(total - reservedOf(refunds)))
    const cancellation = { ...order.cancellation, refund: { ...order.cancellation.refund, amount: left } }
    return { ...order, refunds, cancellation }
  }
  const isAll = returnedOf(refunds) === total
  return { ...order, refunds, paymentState: isAll ? 'REFUNDED' : order.paymentState }
}
