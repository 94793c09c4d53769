import type { OrderStatus } from '@platter/contracts'
import { advance, type Advance } from '#/domain/order-status.ts'
import type { Stores } from '#/store/stores.ts'

/** Stores a restaurant's report. Returns null if the order is not accepted yet, or was cancelled. */
export async function recordStatus(
  orders: Stores['orders'],
  orderApiKey: string,
  to: OrderStatus,
): Promise<Advance | null> {
  const order = await orders.lockTransmitted(orderApiKey)
  if (!order) return null
  const result = advance(order, to)
  if (result.kind === 'advanced') await orders.addStatus(orderApiKey, result.status)
  return result
}
