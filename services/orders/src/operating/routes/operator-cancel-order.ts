import { OperatorCancelOrder, type Order } from '@platter/contracts'
import { Problem, type Call, type Handler } from '@platter/kit'
import { orderRecord } from '#/domain/order.ts'
import { findStory, type ChangeDeps } from '#/operating/find-story.ts'
import { requestCancellation } from '#/saga/request-cancellation.ts'

/**
 * Cancels an order of any application for an operator. The cancellation commits before the idempotency key, because a repeated
 * cancellation changes nothing.
 */
export function operatorCancelOrder(deps: ChangeDeps): Handler<typeof OperatorCancelOrder> {
  const { orderStories, orchestrator } = deps
  const { executeRepeatable } = deps.idempotent(OperatorCancelOrder)

  async function cancel({ params, body }: Call<typeof OperatorCancelOrder>): Promise<Order> {
    const detail = body.message ?? `The order was cancelled: ${body.reason}`
    const refusal = { code: 'order-cancelled', detail } as const
    const { order, isCancelled } = await requestCancellation(
      { orchestrator, read: async () => (await findStory(orderStories, params.apiKey)).order },
      () => ({ by: 'operator', refusal, onlyUnstarted: false }),
    )
    if (isCancelled) return orderRecord(order)
    if (order.outcome !== 'transmitted')
      throw new Problem('invalid-transition', 'The order has already failed, and nothing is charged.')
    throw new Problem(
      'invalid-transition',
      'The order is delivered, and can no longer be cancelled. Refund it instead.',
    )
  }

  return (call) => executeRepeatable(call, () => cancel(call))
}
