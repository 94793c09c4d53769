import { ReadPaymentStory, type GetOrderStory, type OrderStory } from '@platter/contracts'
import { Problem, type Handler, type internalCaller } from '@platter/kit'
import { orderRecord } from '#/domain/order.ts'
import { awaitedStep } from '#/saga/domain/transition.ts'
import type { StoredStory } from '#/store/order-story.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'orders' | 'orderStories'> & { payments: ReturnType<typeof internalCaller> }

/** The order number of console and ticket. An apiKey has 48 characters and never matches. */
const NUMBER = /^\d{1,15}$/

/** The order, its saga, payment and delivery, for operators. Its card is masked as for clients. */
export const getOrderStory =
  ({ orders, orderStories, payments }: Deps): Handler<typeof GetOrderStory> =>
  async ({ params, requestId, deadline }) => {
    const number = NUMBER.test(params.apiKey) ? Number(params.apiKey) : null
    const story = await orderStories.find(number === null ? params : { number })
    if (!story)
      throw new Problem(
        'order-not-found',
        number === null ? 'There is no such order.' : 'There is no order with this number.',
      )
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
