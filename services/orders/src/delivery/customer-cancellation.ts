import { cents, toMoney, type CancellationOffer } from '@platter/contracts'
import { isCharged, isOver, type PlacedOrder } from '#/domain/order.ts'
import { releasedOf } from '#/domain/refund.ts'

/** The default of put-restaurant, for orders from before their cancellation time was stored. */
const DEFAULT_MINUTES = 5

/**
 * Returns the last second in which the customer may cancel the order (epoch seconds; docs/interface.md, "Cancellation by the
 * customer").
 */
export const cancellableUntil = ({ datePlaced, details }: PlacedOrder): number =>
  datePlaced + 60 * (details.customerCancelMinutes ?? DEFAULT_MINUTES)

/** `at`: epoch seconds. `isFailing`: the order is about to be cancelled, because it has failed. */
type Situation = { at: number; isFailing: boolean }

/** Returns the effect that a cancellation by the customer would have. */
export function offerOf(order: PlacedOrder, { at, isFailing }: Situation): CancellationOffer {
  const until = cancellableUntil(order)
  const isBegun = order.status !== 'PROCESSING' && order.status !== 'AWAITING_PREPARATION'
  const cancellable = !isFailing && !isOver(order) && !isBegun && at <= until
  const amount = cancellable && isCharged(order) ? releasedOf(order, order.total) : cents(0)
  return { cancellable, until: cancellable ? until : null, refund: { amount: toMoney(amount) } }
}
