import { OperatorCancelOrder } from '@platter/contracts'
import { Problem, type Call, type Handler } from '@platter/kit'
import { orderRecord } from '#/domain/order.ts'
import { findStory } from '#/operating/find-story.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import type { Idempotent, Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'orderStories'> & {
  idempotent: Idempotent
  orchestrator: Pick<Orchestrator, 'apply'>
}

/** An operator cancels an order of any application. It commits before the idempotency key, because to repeat it changes nothing. */
export function operatorCancelOrder(deps: Deps): Handler<typeof OperatorCancelOrder> {
  const { orderStories, orchestrator } = deps
  const { replay, execute } = deps.idempotent(OperatorCancelOrder)

  async function cancel({ params, body }: Call<typeof OperatorCancelOrder>): Promise<void> {
    const { order } = await findStory(orderStories, params.apiKey)
    if (order.cancellation) return
    const detail = body.message ?? `The order was cancelled: ${body.reason}`
    const refusal = { code: 'order-cancelled', detail } as const
    const cancelled = { kind: 'cancelled', by: 'operator', refusal, onlyUnaccepted: false } as const
    if (await orchestrator.apply(order.apiKey, cancelled)) return
    // An equal concurrent request may have cancelled it meanwhile, or the order has failed.
    const again = await findStory(orderStories, params.apiKey)
    if (again.order.cancellation) return
    if (again.outcome !== 'transmitted')
      throw new Problem('invalid-transition', 'The order has failed already, and nothing is charged.')
    throw new Problem(
      'invalid-transition',
      'The order is delivered, and can no longer be cancelled. Refund it instead.',
    )
  }

  return async (call) => {
    const replayed = await replay(call)
    if (replayed) return replayed
    await cancel(call)
    const { order } = await findStory(orderStories, call.params.apiKey)
    return execute(call, async () => orderRecord(order))
  }
}
