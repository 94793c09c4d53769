import { toMoney, type RestaurantLink, type RestaurantOrder } from '@platter/contracts'
import { nextStatuses, type Reports } from './order-status.ts'
import { orderRecord, type PlacedOrder } from './order.ts'

/** What a restaurant that was never asked is taken to report. */
export const reportsOf = (link: RestaurantLink | null): Reports => link?.reports ?? 'detailed'

/** How long an order may lie on a console. `defaultLink`: of a restaurant whose link was never set. */
export type AcceptDeadline = { withinMs: number; defaultLink: RestaurantLink }

/** When an order is cancelled that its restaurant does not move on, in epoch seconds; null when it is not. */
function acceptBy(
  { status, cancellation, datePlaced }: PlacedOrder,
  link: RestaurantLink | null,
  deadline: AcceptDeadline,
): number | null {
  const isWaiting = status === 'AWAITING_PREPARATION' && cancellation === null
  if (!isWaiting || (link ?? deadline.defaultLink).kind !== 'console') return null
  return datePlaced + Math.floor(deadline.withinMs / 1_000)
}

/** The order as its restaurant needs it. `deadline`: null for a webhook, which accepts an order by its answer. */
export function restaurantOrderRecord(
  order: PlacedOrder,
  link: RestaurantLink | null,
  deadline: AcceptDeadline | null,
): RestaurantOrder {
  const { card: _, ...record } = orderRecord(order)
  const isOver = order.cancellation !== null
  const cancelledAt = deadline && acceptBy(order, link, deadline)
  return {
    ...record,
    apiKey: order.apiKey,
    id: order.id,
    datePlaced: order.datePlaced,
    toCollect: order.payment === 'cash' && !order.test && !isOver ? toMoney(order.total) : 0,
    nextStatuses: isOver ? [] : [...nextStatuses(order.status, order.method, reportsOf(link))],
    ...(cancelledAt !== null && { acceptBy: cancelledAt }),
  }
}
