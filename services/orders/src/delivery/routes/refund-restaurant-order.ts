import { RefundRestaurantOrder } from '@platter/contracts'
import { Problem, type Call, type Handler } from '@platter/kit'
import { refundRecord } from '#/domain/refund.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import { previewRefund, requestRefund } from '#/saga/request-refund.ts'
import type { Idempotent, Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'restaurantOrders'> & {
  idempotent: Idempotent
  orchestrator: Pick<Orchestrator, 'apply'>
}

/** A restaurant refunds its order, or a part of it. */
export function refundRestaurantOrder(deps: Deps): Handler<typeof RefundRestaurantOrder> {
  const { restaurantOrders, orchestrator } = deps
  const { replay, execute } = deps.idempotent(RefundRestaurantOrder)

  async function read({ params, principal }: Call<typeof RefundRestaurantOrder>) {
    const found = await restaurantOrders.find(principal.restaurantApiKey, params.apiKey)
    if (!found) throw new Problem('order-not-found', 'There is no such order.')
    return found.order
  }

  return async (call) => {
    const requested = {
      request: call.body,
      requestedBy: 'restaurant',
      at: Math.floor(Date.now() / 1_000),
    } as const
    if (call.query['validate-only']) return refundRecord(previewRefund(await read(call), requested))
    const replayed = await replay(call)
    if (replayed) return replayed
    const refund = await requestRefund({ orchestrator, read: () => read(call) }, requested, call.idempotency)
    return execute(call, async () => refund)
  }
}
