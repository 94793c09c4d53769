export * from '../../../services/orders/src/store/deliveries.ts'
import type * as real from '../../../services/orders/src/store/deliveries.ts'
import { statement, type DeliveryRow } from '../database.ts'
import { simulation } from '../simulation.ts'

function asRead(orderApiKey: string, row: DeliveryRow): real.Delivery {
  const { database, world } = simulation()
  const restaurant = database.orders.get(orderApiKey)?.restaurantApiKey ?? ''
  return {
    link: database.links.get(restaurant) ?? null,
    outcome: row.outcome,
    expired: row.deadlineAt <= world.now && row.lastResult !== null,
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

export const letGo: typeof real.letGo = (_db, orderApiKey, result) =>
  statement(`let go of delivery of ${orderApiKey.slice(0, 4)}`, () => {
    const { database, world } = simulation()
    const row = database.deliveries.get(orderApiKey)
    if (row) database.deliveries.set(orderApiKey, { ...row, busyUntil: world.now, lastResult: result })
  })
