import { ReadPaymentStory, type GetOrderStory, type OrderStory } from '@platter/contracts'
import type { Handler, internalCaller } from '@platter/kit'
import { orderRecord } from '#/domain/order.ts'
import { findStory } from '#/operating/find-story.ts'
import { awaitedStep } from '#/saga/domain/awaited-step.ts'
import type { StoredStory } from '#/store/order-story.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'orders' | 'orderStories'> & { payments: ReturnType<typeof internalCaller> }

/** Returns the order, its saga, payment and delivery, for operators. Its card is masked as for clients. */
export const getOrderStory =
  ({ orders, orderStories, payments }: Deps): Handler<typeof GetOrderStory> =>
  async ({ params, requestId, deadline }) => {
    const story = await findStory(orderStories, params.apiKey)
    const { apiKey } = story.order
    const [statuses, { payment }] = await Promise.all([
      orders.statuses(apiKey),
      payments(ReadPaymentStory, { orderApiKey: apiKey }, { requestId, deadline }),
    ])
    const { order, link, delivery } = story
    return {
      order: orderRecord(order),
      applicationId: story.applicationId,
      outcome: story.outcome,
      visible: story.visible,
      statuses: statuses.map((record) => ({ orderApiKey: apiKey, ...record })),
      saga: sagaStory(story.saga),
      payment,
      delivery: delivery && deliveryStory(delivery, link),
      requestId: story.requestId,
      // version-traceid-parentid-flags (W3C Trace Context)
      traceId: story.traceparent?.split('-')[1] ?? null,
    }
  }

/** Before the first attempt, `link` is the restaurant's current link. */
const deliveryStory = (
  { sentBy, ...delivery }: NonNullable<StoredStory['delivery']>,
  link: StoredStory['link'],
): OrderStory['delivery'] => ({ ...delivery, link: sentBy ?? link?.kind ?? 'default' })

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
    refusal: refusal && {
      code: refusal.code,
      detail: refusal.detail,
      declineCode: refusal.declineCode ?? null,
    },
    wakeAt: finished === null ? wakeAt : null,
    deadline,
    finished,
  }
}
