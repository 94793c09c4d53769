import { ReportStatus } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { recordStatus } from '#/delivery/record-status.ts'
import { findRestaurantOrder, notAcceptedYet } from '#/reading/find-restaurant-order.ts'
import type { Idempotent } from '#/store/stores.ts'
import type { OrderNotifier } from '#/saga/order-notifier.ts'

type Deps = { idempotent: Idempotent; notifier: Pick<OrderNotifier, 'publish'>; startWithinMs: number }

/** Stores a restaurant's report of an order's status, by the table of docs/interface.md. */
export function reportStatus({ idempotent, notifier, startWithinMs }: Deps): Handler<typeof ReportStatus> {
  const { execute } = idempotent(ReportStatus)
  return async (call) => {
    const { apiKey } = call.params
    const { restaurantApiKey } = call.principal
    const response = await execute(call, async ({ orders, restaurantOrders }) => {
      const find = () => findRestaurantOrder({ restaurantOrders, startWithinMs }, call.principal, apiKey)
      const before = await find()
      const result = await recordStatus(orders, apiKey, call.body.status)
      if (result === null)
        throw (
          notAcceptedYet(before) ??
          new Problem('invalid-transition', 'The order was cancelled, and its status cannot change.')
        )
      if (result.kind === 'impossible') throw new Problem('invalid-transition', result.reason)
      if (result.kind === 'unchanged') return before
      return await find()
    })
    // Published even without a change, because subscribers read the rows.
    notifier.publish({ apiKey, restaurantApiKey })
    return response
  }
}
