import type { OrderStatus } from '@platter/contracts'
import type { Conductor } from '#/conductor.ts'
import { advance, nextStatuses, type Progress } from '#/domain/order-status.ts'
import { reportsOf } from '#/domain/restaurant-order.ts'
import * as orders from '#/store/orders.ts'
import * as simulatedOrders from '#/store/simulated-orders.ts'
import type { Db, Trx } from '#/store/tables.ts'

/**
 * A restaurant reports how far an order is; `choose` picks the status from those that may come next. Null
 * when the restaurant does not have the order (yet, or any more).
 */
export async function recordProgress(
  trx: Trx,
  orderApiKey: string,
  choose: (coming: readonly OrderStatus[]) => OrderStatus | undefined,
): Promise<Progress | null> {
  const order = await orders.lockTransmitted(trx, orderApiKey)
  if (!order) return null
  const reports = reportsOf(order, order.link)
  const to = choose(nextStatuses(order.status, order.method, reports)) ?? order.status
  const progress = advance(order, to, reports)
  if (progress.kind === 'advanced') await orders.addStatus(trx, orderApiKey, progress.status)
  return progress
}

const DUE_AT_ONCE = 50

/** Simulated restaurants report the usual next status of every order that is due. True when there may be more. */
export async function simulateProgress(db: Db, conductor: Conductor, stepMs: number): Promise<boolean> {
  const due = await simulatedOrders.takeDue(db, { stepMs, limit: DUE_AT_ONCE })
  for (const orderApiKey of due) {
    const progress = await db
      .transaction()
      .execute((trx) => recordProgress(trx, orderApiKey, ([usual]) => usual))
    if (progress?.kind === 'advanced') conductor.announce(orderApiKey)
    const isOver =
      progress === null ? await orders.isCancelled(db, orderApiKey) : progress.kind === 'unchanged'
    if (isOver) await simulatedOrders.finish(db, orderApiKey)
  }
  return due.length === DUE_AT_ONCE
}
