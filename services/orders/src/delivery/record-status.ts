import type { OrderStatus } from '@platter/contracts'
import { advance, nextStatuses, type Progress } from '#/domain/order-status.ts'
import { reportsOf } from '#/domain/restaurant-order.ts'
import type { OrderStore } from '#/store/orders.ts'

/**
 * A restaurant reports how far an order is; `choose` picks the status from those that may come next. Null
 * when the restaurant does not have the order (yet, or any more).
 */
export async function recordProgress(
  orders: OrderStore,
  orderApiKey: string,
  choose: (coming: readonly OrderStatus[]) => OrderStatus | undefined,
): Promise<Progress | null> {
  const order = await orders.lockTransmitted(orderApiKey)
  if (!order) return null
  const reports = reportsOf(order, order.link)
  const to = choose(nextStatuses(order.status, order.method, reports)) ?? order.status
  const progress = advance(order, to, reports)
  if (progress.kind === 'advanced') await orders.addStatus(orderApiKey, progress.status)
  return progress
}
