import { isVisible, staysVisible } from '../../../services/orders/src/domain/order-state.ts'
import type { StoredStory } from '../../../services/orders/src/store/order-story.ts'
import type { OrderStore } from '../../../services/orders/src/store/orders.ts'
import type { RestaurantLinkStore } from '../../../services/orders/src/store/restaurant-links.ts'
import type { RestaurantOrderStore } from '../../../services/orders/src/store/restaurant-orders.ts'
import { statement, type OrderRow } from '../database.ts'
import { simulation } from '../simulation.ts'

const rowOf = (apiKey: string): OrderRow | null => simulation().database.orders.get(apiKey) ?? null

const find: OrderStore['find'] = (apiKey) =>
  statement(`order ${apiKey.slice(0, 4)}`, () => {
    const row = rowOf(apiKey)
    return row && isVisible(row) ? { ...row, staysVisible: staysVisible(row) } : null
  })

const markRespondedIfPending: OrderStore['markRespondedIfPending'] = (apiKey) => mark(apiKey, { told: true })
const markResponded: OrderStore['markResponded'] = (apiKey) =>
  statement(`mark ${apiKey.slice(0, 4)} as returned`, () => {
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
  markRespondedIfPending,
  markResponded,
  markReadIfPending,
}

const findOfRestaurant: RestaurantOrderStore['find'] = (restaurantApiKey, apiKey) =>
  statement(`order ${apiKey.slice(0, 4)} of its restaurant`, () => {
    const { database } = simulation()
    const order = database.orders.get(apiKey)
    if (order?.restaurantApiKey !== restaurantApiKey) return null
    if (order.outcome !== 'transmitted' && !wasGivenUp(apiKey)) return null
    return { order, link: null, linkKind: database.deliveries.get(apiKey)?.linkKind ?? null }
  })

const wasGivenUp = (apiKey: string) => simulation().database.deliveries.get(apiKey)?.outcome === 'unreachable'

export const restaurantOrders = { find: findOfRestaurant }

/** Returns the parts of an order that refunds and cancellations read. */
const findStory = (by: { number: number } | { apiKey: string }): Promise<StoredStory | null> =>
  statement('rows of an order', () => {
    const order = 'apiKey' in by ? simulation().database.orders.get(by.apiKey) : undefined
    if (!order) return null
    const { applicationId, outcome } = order
    return { order, applicationId, outcome, visible: isVisible(order) } as unknown as StoredStory
  })

export const orderStories = { find: findStory }

const findLink: RestaurantLinkStore['find'] = (restaurantApiKey) =>
  statement(`link of ${restaurantApiKey}`, () => simulation().database.links.get(restaurantApiKey) ?? null)

export const restaurantLinks = { find: findLink }
