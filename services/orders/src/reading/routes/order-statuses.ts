import { respondsWithEvents, OrderStatuses } from '@platter/contracts'
import {
  lastEventId,
  Rendered,
  type Call,
  type EventStream,
  type EventStreams,
  type Handler,
} from '@platter/kit'
import { isOver } from '#/domain/order.ts'
import { streamFeed } from '#/reading/stream-feed.ts'
import type { OrderNotifier } from '#/saga/order-notifier.ts'
import { StatusFeed } from '#/reading/status-feed.ts'
import { findVisibleOrder, type Deps as VisibilityDeps, type Visible } from '#/reading/visibility.ts'

type Live = { notifier: OrderNotifier; streams: EventStreams }

/** docs/specification.md, "Endpoints"; and docs/interface.md, "Live order updates". */
export const orderStatuses =
  ({ notifier, streams, ...deps }: VisibilityDeps & Live): Handler<typeof OrderStatuses> =>
  async (call) => {
    const { params, principal, requestId, headers } = call
    const { applicationId } = principal
    const visible = await findVisibleOrder(deps, params.apiKey, { applicationId, requestId })
    if (respondsWithEvents(OrderStatuses, headers.accept))
      return eventStream({ notifier, streams }, call, visible)
    const history = await visible.orders.statuses(params.apiKey)
    return history.map((record) => ({ orderApiKey: params.apiKey, ...record }))
  }

/** A client that has received the end of the stream receives a 204, so EventSource does not reconnect (WHATWG HTML, 9.2.3). */
async function eventStream(
  { notifier, streams }: Live,
  { params: { apiKey }, query, headers }: Call<typeof OrderStatuses>,
  { order, orders }: Visible,
): Promise<EventStream | Rendered> {
  const feed = new StatusFeed(orders, apiKey, lastEventId(headers, query))
  if (isOver(order) && (await feed.round().next()).done) return new Rendered(null, 204)
  return streams.respond(async (out) => {
    using subscription = notifier.orders.add(apiKey)
    await streamFeed(feed, subscription, out)
  })
}
