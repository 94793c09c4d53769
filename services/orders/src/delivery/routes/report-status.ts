import { ReportStatus } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { recordProgress } from '#/delivery/record-status.ts'
import { findRestaurantOrder } from '#/reading/find-restaurant-order.ts'
import type { Idempotent } from '#/store/stores.ts'
import type { OrderNotifier } from '#/saga/order-notifier.ts'

type Deps = { idempotent: Idempotent; notifier: Pick<OrderNotifier, 'publish'>; acceptWithinMs: number }

/** A restaurant reports how far it is; only forward, along the table of docs/interface.md. */
export function reportStatus({ idempotent, notifier, acceptWithinMs }: Deps): Handler<typeof ReportStatus> {
  const { execute } = idempotent(ReportStatus)
  return async (call) => {
    const { apiKey } = call.params
    const answer = await execute(call, async ({ orders, restaurantOrders }) => {
      const find = () => findRestaurantOrder({ restaurantOrders, acceptWithinMs }, call.principal, apiKey)
      const before = await find()
      const progress = await recordProgress(orders, apiKey, () => call.body.status)
      if (progress === null)
        throw new Problem('invalid-transition', 'The order was cancelled: it moves no further.')
      if (progress.kind === 'impossible') throw new Problem('invalid-transition', progress.reason)
      if (progress.kind === 'unchanged') return before
      return await find()
    })
    // An event is a hint: subscribers read the row, and find nothing new when nothing has moved.
    notifier.publish(apiKey)
    return answer
  }
}
