export * from '../../../services/orders/src/store/deliveries.ts'
import type * as real from '../../../services/orders/src/store/deliveries.ts'
import { statement, type DeliveryRow } from '../database.ts'
import { simulation } from '../simulation.ts'

function asRead(orderApiKey: string, row: DeliveryRow): real.Delivery {
  const { database, world } = simulation()
  const order = database.orders.get(orderApiKey)
  return {
    link: database.links.get(order?.restaurantApiKey ?? '') ?? null,
    order: order && (order.outcome !== 'failed' || order.told) ? order : null,
    outcome: row.outcome,
    overdue: row.deadlineAt <= world.now,
    tried: row.lastResult !== null || row.attempts > 2,
    held: row.attempts === 1 && row.busyUntil > world.now + 1_000,
  }
}

export const read: typeof real.read = (_db, orderApiKey) =>
  statement(`delivery of ${orderApiKey.slice(0, 4)}`, () => {
    const row = simulation().database.deliveries.get(orderApiKey)
    return row ? asRead(orderApiKey, row) : null
  })

export const take: typeof real.take = (_db, orderApiKey, { busyMs, takeOver }) =>
  statement(`take delivery of ${orderApiKey.slice(0, 4)}`, () => {
    const { database, world } = simulation()
    const row = database.deliveries.get(orderApiKey)
    if (!row || (row.outcome === null && row.busyUntil > world.now && !takeOver)) return null
    const taken = {
      ...row,
      attempts: row.attempts + (row.outcome === null ? 1 : 0),
      busyUntil: world.now + busyMs,
    }
    database.deliveries.set(orderApiKey, taken)
    return asRead(orderApiKey, taken)
  })

export const letGo: typeof real.letGo = (_db, orderApiKey, { result, link }) =>
  statement(`let go of delivery of ${orderApiKey.slice(0, 4)}`, () => {
    const { database, world } = simulation()
    const row = database.deliveries.get(orderApiKey)
    if (row?.outcome !== null) return
    database.deliveries.set(orderApiKey, {
      ...row,
      busyUntil: world.now,
      lastResult: result,
      linkKind: link,
    })
  })

export const hold: typeof real.hold = (_db, orderApiKey, busyMs) =>
  statement(`hold delivery of ${orderApiKey.slice(0, 4)}`, () => {
    const { database, world } = simulation()
    const row = database.deliveries.get(orderApiKey)
    if (row?.outcome === null) database.deliveries.set(orderApiKey, { ...row, busyUntil: world.now + busyMs })
  })

export const takeCancellations: typeof real.takeCancellations = (_db, limit) =>
  statement('cancellations to tell', () => {
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
        orderApiKey,
        link: asRead(orderApiKey, row).link,
        sentBy: row.linkKind,
        attempts: cancelAttempts,
      }
    })
  })

export const cancellationTold: typeof real.cancellationTold = (_db, orderApiKey) =>
  statement(`cancellation of ${orderApiKey.slice(0, 4)} told`, () => {
    const { database } = simulation()
    const row = database.deliveries.get(orderApiKey)
    if (row) database.deliveries.set(orderApiKey, { ...row, cancelAt: null })
  })
