import type { FindOrders } from '@platter/contracts'
import { nextPage, readCursor, type Handler } from '@platter/kit'
import { isVisible } from '#/domain/order-state.ts'
import { orderRecord } from '#/domain/order.ts'
import type { Stores } from '#/store/stores.ts'
import { LastOrderId } from '#/store/order-pages.ts'

/** Finds orders of any application for an operator, by facts that a customer knows. */
export const findOrders =
  ({ orderSearch }: Pick<Stores, 'orderSearch'>): Handler<typeof FindOrders> =>
  async ({ query: { limit, cursor, ...filter }, url, setHeader }) => {
    const before = readCursor(cursor, LastOrderId)
    const { orders, hasMore } = await orderSearch.find(filter, { before, limit })
    if (hasMore) setHeader('link', nextPage(url, orders.at(-1)?.id))
    return orders.map((order) => {
      const { applicationId, outcome } = order
      return { ...orderRecord(order), applicationId, outcome, visible: isVisible(order) }
    })
  }
