import { toMoney, type RestaurantLink, type RestaurantOrder } from '@platter/contracts'
import { nextStatuses, type Reports } from '#/domain/order-status.ts'
import { orderRecord, type PlacedOrder } from '#/domain/order.ts'

/** As when the order was placed. An order from before this column uses its restaurant's current link. */
export const reportsOf = ({ reports }: Pick<PlacedOrder, 'reports'>, link: RestaurantLink | null): Reports =>
  reports ?? link?.reports ?? 'detailed'

/** An order for its restaurant. */
export type RestaurantsOrder = {
  order: PlacedOrder
  /** The restaurant's current link. */
  link: RestaurantLink | null
  /** The kind of link that the order was delivered through; null for a delivery before that was stored. */
  linkKind: RestaurantLink['kind'] | null
}

/**
 * When an order that its restaurant does not start on its console is cancelled, in epoch seconds; null for any other order.
 * `withinMs`: how long an order may wait on a console.
 */
function acceptBy(
  { order: { status, cancellation, datePlaced }, linkKind }: RestaurantsOrder,
  withinMs: number,
): number | null {
  const isWaiting = status === 'AWAITING_PREPARATION' && cancellation === null
  return isWaiting && linkKind === 'console' ? datePlaced + Math.floor(withinMs / 1_000) : null
}

/** The record for the restaurant. `acceptWithinMs`: null for a webhook, which accepts an order by its response. */
export function restaurantOrderRecord(
  delivered: RestaurantsOrder,
  acceptWithinMs: number | null,
): RestaurantOrder {
  const { order, link } = delivered
  const { card: _, ...record } = orderRecord(order)
  const isOver = order.cancellation !== null
  const cancelledAt = acceptWithinMs === null ? null : acceptBy(delivered, acceptWithinMs)
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
