import { toMoney, type RestaurantOrder } from '@platter/contracts'
import { nextStatuses } from '#/domain/order-status.ts'
import { orderRecord, type PlacedOrder } from '#/domain/order.ts'

/** An order, as its restaurant reads it. */
export type RestaurantsOrder = {
  order: PlacedOrder
  /** The time (epoch seconds) since which the order waits on a console until a person starts it; null for any other order. */
  waitingSince: number | null
}

/**
 * Returns the record for the restaurant. `startWithinMs`: the time that an order may wait on a console; null for a webhook, which
 * accepts an order by its response.
 */
export function restaurantOrderRecord(
  { order, waitingSince }: RestaurantsOrder,
  startWithinMs: number | null,
): RestaurantOrder {
  const { card: _, ...record } = orderRecord(order)
  const isOver = order.cancellation !== null
  const isWaiting = waitingSince !== null && startWithinMs !== null
  return {
    ...record,
    apiKey: order.apiKey,
    id: order.id,
    datePlaced: order.datePlaced,
    toCollect: order.payment === 'cash' && !order.test && !isOver ? toMoney(order.total) : 0,
    nextStatuses: isOver ? [] : [...nextStatuses(order.status, order.method, order.reports)],
    ...(isWaiting && { acceptBy: waitingSince + Math.floor(startWithinMs / 1_000) }),
  }
}
