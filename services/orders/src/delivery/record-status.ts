import type { OrderStatus } from '@platter/contracts'
import { advance, nextStatuses, type Advance } from '#/domain/order-status.ts'
import { reportsOf } from '#/domain/restaurant-order.ts'
import type { OrderStore } from '#/store/orders.ts'

/**
 * Stores a restaurant's report. `choose` selects the status from the possible next statuses. Returns null if the restaurant does
 * not have the order, or the order was cancelled.
 */
export async function recordStatus(
  orders: OrderStore,
  orderApiKey: string,
  choose: (next: readonly OrderStatus[]) => OrderStatus | undefined,
): Promise<Advance | null> {
  const order = await orders.lockTransmitted(orderApiKey)
  if (!order) return null
  const reports = reportsOf(order, order.link)
  const to = choose(nextStatuses(order.status, order.method, reports)) ?? order.status
  const result = advance(order, to, reports)
  if (result.kind === 'advanced') await orders.addStatus(orderApiKey, result.status)
  return result
}
