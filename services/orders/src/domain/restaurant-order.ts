import { toMoney, type RestaurantLink, type RestaurantOrder } from '@platter/contracts'
import { nextStatuses, type Reports } from './order-status.ts'
import { orderRecord, type PlacedOrder } from './order.ts'

/** What a restaurant that was never asked is taken to report. */
export const reportsOf = (link: RestaurantLink | null): Reports => link?.reports ?? 'detailed'

/** The order as its restaurant needs it. */
export function restaurantOrderRecord(order: PlacedOrder, link: RestaurantLink | null): RestaurantOrder {
  const { card: _, ...record } = orderRecord(order)
  const isOver = order.cancellation !== null
  return {
    ...record,
    apiKey: order.apiKey,
    id: order.id,
    datePlaced: order.datePlaced,
    toCollect: order.payment === 'cash' && !order.test && !isOver ? toMoney(order.total) : 0,
    nextStatuses: isOver ? [] : [...nextStatuses(order.status, order.method, reportsOf(link))],
  }
}
