import type { Bus } from '@platter/bus'
import { answersEvents, OrderStatuses } from '@platter/contracts'
import {
  lastEventId,
  Rendered,
  type Call,
  type EventStream,
  type EventStreams,
  type Handler,
} from '@platter/kit'
import { isOver } from '#/domain/order.ts'
import { follow } from '#/follow.ts'
import type { Followers } from '#/followers.ts'
import { StatusFeed } from '#/status-feed.ts'
import * as orders from '#/store/orders.ts'
import type { Db } from '#/store/tables.ts'
import { findVisibleOrder } from '#/visibility.ts'

type Needs = { db: Db; bus: Bus; followers: Followers; streams: EventStreams }

/** Specification 4.11; and interface.md, "Following an order live". */
export const orderStatuses =
  ({ db, bus, ...live }: Needs): Handler<typeof OrderStatuses> =>
  async (call) => {
    const { params, principal, requestId, headers } = call
    const { applicationId } = principal
    const order = await findVisibleOrder(db, bus, params.apiKey, { applicationId, requestId })
    if (answersEvents(OrderStatuses, headers.accept)) return followed({ db, ...live }, call, order)
    const history = await orders.statuses(db, params.apiKey)
    return history.map((record) => ({ orderApiKey: params.apiKey, ...record }))
  }

/** Who has seen the end already is told to stop: at a 204 EventSource does not come back (WHATWG HTML, 9.2.3). */
async function followed(
  { db, followers, streams }: Omit<Needs, 'bus'>,
  { params: { apiKey }, query, headers }: Call<typeof OrderStatuses>,
  order: orders.OwnedOrder,
): Promise<EventStream | Rendered> {
  const feed = new StatusFeed(db, apiKey, lastEventId(headers, query))
  if (isOver(order) && (await feed.round().next()).done) return new Rendered(null, 204)
  return streams.answer(async (out) => {
    using follower = followers.ofOrder(apiKey)
    await follow(feed, follower, out)
  })
}
