import type { DeliveryStore, Lease } from '../../../services/orders/src/store/deliveries.ts'
import { statement, type DeliveryRow, type OrderRow } from '../database.ts'
import { simulation } from '../simulation.ts'

const acquireLeases: DeliveryStore['acquireLeases'] = ({ limit, leaseMs }) =>
  statement('leases of deliveries that are due', () => {
    const { database, world } = simulation()
    const due = [...database.deliveries]
      .filter(([, { outcome, busyUntil }]) => outcome === null && busyUntil <= world.now)
      .filter(([apiKey]) => database.orders.get(apiKey)?.outcome === 'pending')
      .toSorted(([, one], [, other]) => one.busyUntil - other.busyUntil)
      .slice(0, limit)
    return due.map(([orderApiKey, row]) => {
      const order = orderOf(orderApiKey)
      const attempt = row.attempts + 1
      database.deliveries.set(orderApiKey, {
        ...row,
        attempts: attempt,
        busyUntil: world.now + leaseMs,
      })
      return {
        orderApiKey,
        attempt,
        order,
        link: linkOf(orderApiKey),
        isOverdue: row.deadlineAt <= world.now,
        isTried: row.lastResult !== null || attempt > 2,
        requestId: database.sagas.get(orderApiKey)?.requestId ?? '',
        traceparent: null,
      }
    })
  })

function orderOf(orderApiKey: string): OrderRow {
  const order = simulation().database.orders.get(orderApiKey)
  if (!order) throw new Error(`order ${orderApiKey} does not exist`)
  return order
}

function linkOf(orderApiKey: string) {
  const { database } = simulation()
  return database.links.get(database.orders.get(orderApiKey)?.restaurantApiKey ?? '') ?? null
}

/** Returns the row if the lease is the last acquired one. */
function held({ orderApiKey, attempt }: Lease): DeliveryRow | null {
  const row = simulation().database.deliveries.get(orderApiKey)
  return row?.attempts === attempt ? row : null
}

const renewLeases: DeliveryStore['renewLeases'] = (leases, leaseMs) =>
  statement('renew leases', () => {
    const { database, world } = simulation()
    const renewed = new Set<string>()
    for (const lease of leases) {
      const row = held(lease)
      if (!row) continue
      database.deliveries.set(lease.orderApiKey, { ...row, busyUntil: world.now + leaseMs })
      renewed.add(lease.orderApiKey)
    }
    return renewed
  })

const releaseLease: DeliveryStore['releaseLease'] = (lease, failed) =>
  statement(`release delivery of ${lease.orderApiKey.slice(0, 4)}`, () => {
    const { database, world } = simulation()
    const row = held(lease)
    if (!row) return
    const pauseMs = Math.min(60_000, 2_000 * 2 ** Math.min(row.attempts - 1, 5))
    const retryAt = world.now + pauseMs * (0.8 + 0.4 * world.random.next())
    database.deliveries.set(lease.orderApiKey, {
      ...row,
      attempts: row.attempts - (failed ? 0 : 1),
      busyUntil: Math.min(retryAt, Math.max(row.deadlineAt, world.now + 1_000)),
      lastResult: failed?.result ?? row.lastResult,
      linkKind: failed?.link ?? row.linkKind,
    })
  })

const takeDueNotices: DeliveryStore['takeDueNotices'] = (limit) =>
  statement('notices that are due', () => {
    const { database, world } = simulation()
    const due = [...database.deliveries]
      .filter(([, { cancelAt }]) => cancelAt !== null && cancelAt <= world.now)
      .slice(0, limit)
    return due.map(([orderApiKey, row]) => {
      const pauseMs = Math.min(3_600_000, 30_000 * 2 ** Math.min(row.cancelAttempts, 7))
      const again = world.now + pauseMs * (0.8 + 0.4 * world.random.next())
      const cancelAttempts = row.cancelAttempts + 1
      database.deliveries.set(orderApiKey, {
        ...row,
        cancelAt: again <= row.cancelUntil ? again : null,
        cancelAttempts,
      })
      return {
        order: orderOf(orderApiKey),
        link: linkOf(orderApiKey),
        sentBy: row.linkKind,
        attempts: cancelAttempts,
      }
    })
  })

const endNotices: DeliveryStore['endNotices'] = (orderApiKey) =>
  statement(`end notices of ${orderApiKey.slice(0, 4)}`, () => {
    const { database } = simulation()
    const row = database.deliveries.get(orderApiKey)
    if (row) database.deliveries.set(orderApiKey, { ...row, cancelAt: null })
  })

export const deliveries = { acquireLeases, renewLeases, releaseLease, takeDueNotices, endNotices }
