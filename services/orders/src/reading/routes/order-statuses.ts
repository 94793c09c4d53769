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
import { follow } from '#/reading/follow.ts'
import type { Followers } from '#/reading/followers.ts'
import { StatusFeed } from '#/reading/status-feed.ts'
import { findVisibleOrder, type Deps as VisibilityDeps, type Visible } from '#/reading/visibility.ts'

type Live = { followers: Followers; streams: EventStreams }

/** docs/specification.md, "Endpoints"; and docs/interface.md, "Live order updates". */
export const orderStatuses =
  ({ followers, streams, ...deps }: VisibilityDeps & Live): Handler<typeof OrderStatuses> =>
  async (call) => {
    const { params, principal, requestId, headers } = call
    const { applicationId } = principal
    const visible = await findVisibleOrder(deps, params.apiKey, { applicationId, requestId })
    if (respondsWithEvents(OrderStatuses, headers.accept))
      return followed({ followers, streams }, call, visible)
    const history = await visible.orders.statuses(params.apiKey)
    return history.map((record) => ({ orderApiKey: params.apiKey, ...record }))
  }

/** Who has seen the end already is told to stop: at a 204 EventSource does not come back (WHATWG HTML, 9.2.3). */
async function followed(
  { followers, streams }: Live,
  { params: { apiKey }, query, headers }: Call<typeof OrderStatuses>,
  { order, orders }: Visible,
): Promise<EventStream | Rendered> {
  const feed = new StatusFeed(orders, apiKey, lastEventId(headers, query))
  if (isOver(order) && (await feed.round().next()).done) return new Rendered(null, 204)
  return streams.answer(async (out) => {
    using follower = followers.ofOrder(apiKey)
    await follow(feed, follower, out)
  })
}
