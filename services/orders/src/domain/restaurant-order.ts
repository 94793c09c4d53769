import { toMoney, type RestaurantLink, type RestaurantOrder } from '@platter/contracts'
import { nextStatuses, type Reports } from '#/domain/order-status.ts'
import { orderRecord, type PlacedOrder } from '#/domain/order.ts'

/**
 * Returns the detail of reports as of the time of the order. An order from before this column uses its restaurant's current link.
 */
export const reportsOf = ({ reports }: Pick<PlacedOrder, 'reports'>, link: RestaurantLink | null): Reports =>
  reports ?? link?.reports ?? 'detailed'

/** An order, as its restaurant reads it. */
export type RestaurantsOrder = {
  order: PlacedOrder
  /** The restaurant's current link. */
  link: RestaurantLink | null
  /** The kind of link that delivered the order; null for a delivery from before it was stored. */
  linkKind: RestaurantLink['kind'] | null
}

/**
 * Returns the time (epoch seconds) at which an order that its restaurant has not started on its console is cancelled; null for any
 * other order. `withinMs`: the time that an order may wait on a console.
 */
function acceptBy(
  { order: { status, cancellation, datePlaced }, linkKind }: RestaurantsOrder,
  withinMs: number,
): number | null {
  const isWaiting = status === 'AWAITING_PREPARATION' && cancellation === null
  return isWaiting && linkKind === 'console' ? datePlaced + Math.floor(withinMs / 1_000) : null
}

/** Returns the record for the restaurant. `startWithinMs`: null for a webhook, which accepts an order by its response. */
export function restaurantOrderRecord(
  delivered: RestaurantsOrder,
  startWithinMs: number | null,
): RestaurantOrder {
  const { order, link } = delivered
  const { card: _, ...record } = orderRecord(order)
  const isOver = order.cancellation !== null
  const cancelledAt = startWithinMs === null ? null : acceptBy(delivered, startWithinMs)
  return {
    ...record,
    apiKey: order.apiKey,
    id: order.id,
    datePlaced: order.datePlaced,
    toCollect: order.payment === 'cash' && !order.test && !isOver ? toMoney(order.total) : 0,
    nextStatuses: isOver ? [] : [...nextStatuses(order.status, order.method, reportsOf(order, link))],
    ...(cancelledAt !== null && { acceptBy: cancelledAt }),
  }
}
