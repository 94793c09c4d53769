import { ReadPaymentStory, type GetOrderStory, type OrderStory } from '@platter/contracts'
import { orNull, type Handler, type internalCaller } from '@platter/kit'
import { isVisible } from '#/domain/order-state.ts'
import { orderRecord } from '#/domain/order.ts'
import { findStory } from '#/operating/find-story.ts'
import { awaitedStep } from '#/saga/domain/awaited-step.ts'
import type { StoredStory } from '#/store/order-story.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'orders' | 'orderStories'> & { payments: ReturnType<typeof internalCaller> }

/** Shorter than the deadline of the request: while payments is unavailable, operators need the other facts most. */
const WITHIN_MS = 6_000

/** Returns the order, its saga, payment and delivery, for operators. Its card is masked as for clients. */
export const getOrderStory =
  ({ orders, orderStories, payments }: Deps): Handler<typeof GetOrderStory> =>
  async ({ params, requestId, deadline }) => {
    const { order, saga, traceparent, ...facts } = await findStory(orderStories, params.apiKey)
    const { apiKey, applicationId, outcome } = order
    const [statuses, read] = await Promise.all([
      orders.statuses(apiKey),
      orNull(() => payments(ReadPaymentStory, { orderApiKey: apiKey }, { requestId, deadline }), WITHIN_MS),
    ])
    return {
      ...facts,
      applicationId,
      outcome,
      visible: isVisible(order),
      order: orderRecord(order),
      statuses: statuses.map((record) => ({ orderApiKey: apiKey, ...record })),
      saga: sagaStory(saga),
      payment: read?.payment ?? null,
      paymentUnavailable: read === null,
      // version-traceid-parentid-flags (W3C Trace Context)
      traceId: traceparent?.split('-')[1] ?? null,
    }
  }

function sagaStory(saga: StoredStory['saga']): OrderStory['saga'] {
  const { facts, state, version, attempt: attempts, wakeAt, deadline, finished } = saga
  const { done, undone, refusal } = state
  const awaited = awaitedStep({ facts, state })
  return {
    state: finished === null ? 'running' : refusal ? 'failed' : 'completed',
    step: awaited?.step.name ?? null,
    undo: awaited?.isCompensation ?? false,
    version,
    attempts,
    done,
    undone,
    refusal: refusal && { ...refusal, declineCode: refusal.declineCode ?? null },
    wakeAt: finished === null ? wakeAt : null,
    deadline,
    finished,
  }
}
