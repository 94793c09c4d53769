export * from '../../../services/orders/src/store/orders.ts'
import { isVisible, standingOf, staysVisible } from '../../../services/orders/src/domain/order-state.ts'
import type * as real from '../../../services/orders/src/store/orders.ts'
import { statement, type OrderRow } from '../database.ts'
import { simulation } from '../simulation.ts'

const rowOf = (apiKey: string): OrderRow | null => simulation().database.orders.get(apiKey) ?? null

export const find: typeof real.find = (_db, apiKey) =>
  statement(`order ${apiKey.slice(0, 4)}`, () => {
    const row = rowOf(apiKey)
    return row && isVisible(row) ? { ...row, staysVisible: staysVisible(row) } : null
  })

export const exists: typeof real.exists = (_db, apiKey) =>
  statement(`is there ${apiKey.slice(0, 4)}`, () => rowOf(apiKey) !== null)

export const standing: typeof real.standing = (_db, apiKey) =>
  statement(`standing of ${apiKey.slice(0, 4)}`, () => {
    const order = rowOf(apiKey)
    const saga = simulation().database.sagas.get(apiKey)
    if (!order || !saga) throw new Error('no result')
    return standingOf(order, { told: order.told, refusal: saga.state.refusal })
  })

export const tell: typeof real.tell = (_db, apiKey) => mark(apiKey, { told: true })
export const markAnswered: typeof real.markAnswered = (_db, apiKey) =>
  statement(`mark ${apiKey.slice(0, 4)} as answered`, () => {
    const row = rowOf(apiKey)
    if (row) simulation().database.orders.set(apiKey, { ...row, told: true })
  })
export const show: typeof real.show = (_db, apiKey) => mark(apiKey, { shown: true })

const mark = (apiKey: string, seen: { told: true } | { shown: true }) =>
  statement(`mark ${apiKey.slice(0, 4)}`, () => {
    const row = rowOf(apiKey)
    if (row?.outcome !== 'pending') return false
    simulation().database.orders.set(apiKey, { ...row, ...seen })
    return true
  })
