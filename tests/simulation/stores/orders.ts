import { isVisible, resultOf, staysVisible } from '../../../services/orders/src/domain/order-state.ts'
import type { OrderStore } from '../../../services/orders/src/store/orders.ts'
import { statement, type OrderRow } from '../database.ts'
import { simulation } from '../simulation.ts'

const rowOf = (apiKey: string): OrderRow | null => simulation().database.orders.get(apiKey) ?? null

const find: OrderStore['find'] = (apiKey) =>
  statement(`order ${apiKey.slice(0, 4)}`, () => {
    const row = rowOf(apiKey)
    return row && isVisible(row) ? { ...row, staysVisible: staysVisible(row) } : null
  })

const exists: OrderStore['exists'] = (apiKey) =>
  statement(`existence of ${apiKey.slice(0, 4)}`, () => rowOf(apiKey) !== null)

const findResult: OrderStore['findResult'] = (apiKey) =>
  statement(`result of ${apiKey.slice(0, 4)}`, () => {
    const order = rowOf(apiKey)
    const saga = simulation().database.sagas.get(apiKey)
    if (!order || !saga) throw new Error('no result')
    return resultOf(order, { told: order.told, refusal: saga.state.refusal })
  })

const markAnsweredIfPending: OrderStore['markAnsweredIfPending'] = (apiKey) => mark(apiKey, { told: true })
const markAnswered: OrderStore['markAnswered'] = (apiKey) =>
  statement(`mark ${apiKey.slice(0, 4)} as answered`, () => {
    const row = rowOf(apiKey)
    if (row) simulation().database.orders.set(apiKey, { ...row, told: true })
  })
const markReadIfPending: OrderStore['markReadIfPending'] = (apiKey) => mark(apiKey, { shown: true })

const mark = (apiKey: string, seen: { told: true } | { shown: true }) =>
  statement(`mark ${apiKey.slice(0, 4)}`, () => {
    const row = rowOf(apiKey)
    if (row?.outcome !== 'pending') return false
    simulation().database.orders.set(apiKey, { ...row, ...seen })
    return true
  })

const recipientOf: OrderStore['recipientOf'] = (apiKey) =>
  statement(`recipient of ${apiKey.slice(0, 4)}`, () => rowOf(apiKey)?.recipientApiKey ?? null)

export const orders = {
  find,
  recipientOf,
  exists,
  findResult,
  markAnsweredIfPending,
  markAnswered,
  markReadIfPending,
}
