import { toMoney, type RestaurantLink, type RestaurantOrder } from '@platter/contracts'
import { nextStatuses } from '#/domain/order-status.ts'
import { orderRecord, type PlacedOrder } from '#/domain/order.ts'

/** An order, as its restaurant reads it. */
export type RestaurantsOrder = {
  order: PlacedOrder
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
  const { order } = delivered
  const { card: _, ...record } = orderRecord(order)
  const isOver = order.cancellation !== null
  const cancelledAt = startWithinMs === null ? null : acceptBy(delivered, startWithinMs)
  return {
    ...record,
    apiKey: order.apiKey,
    id: order.id,
    datePlaced: order.datePlaced,
    toCollect: order.payment === 'cash' && !order.test && !isOver ? toMoney(order.total) : 0,
    nextStatuses: isOver ? [] : [...nextStatuses(order.status, order.method, order.reports)],
    ...(cancelledAt !== null && { acceptBy: cancelledAt }),
  }
}
