import type { RestaurantOrderStore } from '../../../services/orders/src/store/restaurant-orders.ts'
import { statement } from '../database.ts'
import { simulation } from '../simulation.ts'

const find: RestaurantOrderStore['find'] = (restaurantApiKey, apiKey) =>
  statement(`order ${apiKey.slice(0, 4)} of its restaurant`, () => {
    const { orders, deliveries } = simulation().database
    const order = orders.get(apiKey)
    if (order?.restaurantApiKey !== restaurantApiKey) return null
    if (order.outcome !== 'transmitted' && !wasGivenUp(apiKey)) return null
    return { order, link: null, linkKind: deliveries.get(apiKey)?.linkKind ?? null }
  })

const findForNotice: RestaurantOrderStore['findForNotice'] = (apiKey) =>
  statement(`${apiKey.slice(0, 4)}, which was cancelled or given up`, () => {
    const order = simulation().database.orders.get(apiKey)
    return order && (wasGivenUp(apiKey) || order.cancellation) ? order : null
  })

const wasGivenUp = (apiKey: string) => simulation().database.deliveries.get(apiKey)?.outcome === 'unreachable'

export const restaurantOrders = { find, findForNotice }
