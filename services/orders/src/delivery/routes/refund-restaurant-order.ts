import { RefundRestaurantOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { refundRecord } from '#/domain/refund.ts'
import { findReceivedOrder } from '#/reading/find-restaurant-order.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import { previewRefund, requestRefund } from '#/saga/request-refund.ts'
import type { Idempotent, Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'restaurantOrders'> & {
  idempotent: Idempotent
  orchestrator: Pick<Orchestrator, 'apply'>
}

/** Refunds a restaurant's order, or a part of it. */
export function refundRestaurantOrder(deps: Deps): Handler<typeof RefundRestaurantOrder> {
  const { restaurantOrders, orchestrator } = deps
  const { executeRepeatable } = deps.idempotent(RefundRestaurantOrder)
  return async (call) => {
    const read = () => findReceivedOrder(restaurantOrders, call.principal, call.params.apiKey)
    const requested = { request: call.body, requestedBy: 'restaurant' } as const
    if (call.query['validate-only']) return refundRecord(previewRefund(await read(), requested))
    return executeRepeatable(call, () => requestRefund({ orchestrator, read }, requested, call.idempotency))
  }
}
