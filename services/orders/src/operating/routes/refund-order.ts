import { RefundOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { refundRecord } from '#/domain/refund.ts'
import { findStory } from '#/operating/find-story.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import { previewRefund, requestRefund } from '#/saga/request-refund.ts'
import type { Idempotent, Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'orderStories'> & {
  idempotent: Idempotent
  orchestrator: Pick<Orchestrator, 'apply'>
}

/** An operator refunds an order of any application, or a part of it. */
export function refundOrder(deps: Deps): Handler<typeof RefundOrder> {
  const { orderStories, orchestrator } = deps
  const { replay, execute } = deps.idempotent(RefundOrder)
  return async (call) => {
    const read = async () => (await findStory(orderStories, call.params.apiKey)).order
    const requested = {
      request: call.body,
      requestedBy: 'operator',
      at: Math.floor(Date.now() / 1_000),
    } as const
    if (call.query['validate-only']) return refundRecord(previewRefund(await read(), requested))
    const replayed = await replay(call)
    if (replayed) return replayed
    const refund = await requestRefund({ orchestrator, read }, requested, call.idempotency)
    return execute(call, async () => refund)
  }
}
