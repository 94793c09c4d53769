import { RefundOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { refundRecord } from '#/domain/refund.ts'
import { findStory, type ChangeDeps } from '#/operating/find-story.ts'
import { previewRefund, requestRefund } from '#/saga/request-refund.ts'

/** Refunds an order of any application, or a part of it, for an operator. */
export function refundOrder(deps: ChangeDeps): Handler<typeof RefundOrder> {
  const { orderStories, orchestrator } = deps
  const { executeRepeatable } = deps.idempotent(RefundOrder)
  return async (call) => {
    const read = async () => (await findStory(orderStories, call.params.apiKey)).order
    const requested = { request: call.body, requestedBy: 'operator' } as const
    if (call.query['validate-only']) return refundRecord(previewRefund(await read(), requested))
    return executeRepeatable(call, () => requestRefund({ orchestrator, read }, requested, call.idempotency))
  }
}
