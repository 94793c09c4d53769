import type { FindOrders } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { isVisible } from '#/domain/order-state.ts'
import { orderRecord } from '#/domain/order.ts'
import { orderPage } from '#/order-page.ts'
import type { Stores } from '#/store/stores.ts'

/** Finds orders of any application for an operator, by facts that a customer knows. */
export const findOrders =
  ({ orderSearch }: Pick<Stores, 'orderSearch'>): Handler<typeof FindOrders> =>
  async (call) => {
    const orders = await orderPage(call, (range) => orderSearch.find(call.query, range))
    return orders.map((order) => {
      const { applicationId, outcome } = order
      return { ...orderRecord(order), applicationId, outcome, visible: isVisible(order) }
    })
  }
