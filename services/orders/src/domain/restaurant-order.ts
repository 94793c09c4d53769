import { toMoney, type RestaurantOrder } from '@platter/contracts'
import { nextStatuses } from '#/domain/order-status.ts'
import { orderRecord, type PlacedOrder } from '#/domain/order.ts'

/** Returns the record for the restaurant. */
export function restaurantOrderRecord(order: PlacedOrder): RestaurantOrder {
  const { card: _, ...record } = orderRecord(order)
  const isOver = order.cancellation !== null
  return {
    ...record,
    apiKey: order.apiKey,
    id: order.id,
    datePlaced: order.datePlaced,
    toCollect: order.payment === 'cash' && !order.test && !isOver ? toMoney(order.total) : 0,
    nextStatuses: isOver ? [] : [...nextStatuses(order)],
  }
}

/** An order that its restaurant has received, before its conversion to the record. */
export type ReceivedOrder = PlacedOrder & {
  /** The time (epoch seconds) since which the order waits on a console until a person starts it; null for any other order. */
  waitingSince: number | null
}

/** Returns the record with `acceptBy`, if the order waits on a console. `startWithinMs`: the time that it may wait there. */
export const recordWithAcceptBy = (order: ReceivedOrder, startWithinMs: number): RestaurantOrder => ({
  ...restaurantOrderRecord(order),
  ...(order.waitingSince !== null && { acceptBy: order.waitingSince + Math.floor(startWithinMs / 1_000) }),
})
