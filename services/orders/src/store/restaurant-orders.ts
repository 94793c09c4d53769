import { epochOf } from '@platter/kit/postgres/epoch'
import { sql } from 'kysely'
import type { ReceivedOrder } from '#/domain/restaurant-order.ts'
import { hasChangedSince, type Position } from '#/store/changes.ts'
import { isBefore, NEWEST_FIRST, OLDEST_FIRST, readPage, type OrderPage } from '#/store/order-pages.ts'
import { ORDER } from '#/store/order-row.ts'
import { isTransmitted } from '#/store/orders.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

/**
 * Whether an order went to a console, and waits there until a person starts it. Its current link may be another one. `is_open` would
 * allow the planner to read all open orders. Their number grows without limit, because many webhooks report no status.
 */
const isWaiting = sql`(
  orders.outcome = 'transmitted' and orders.status = 'AWAITING_PREPARATION' and orders.cancellation is null
  and deliveries.link_kind = 'console')`

/**
 * The time at which a waiting order reached its restaurant. Its challenge may have taken ten minutes, and the restaurant gets its time
 * nevertheless.
 */
const waitingSince = sql`(
  select at from order_statuses where order_api_key = orders.api_key order by position desc limit 1)`

/** `changedIn`: the last transaction that changed a visible column. Defaults and a trigger set it. */
type Row = ReceivedOrder & { changedIn: Position | null }

const columns = sql<Row>`${ORDER}, orders.changed_in as "changedIn",
  case when ${isWaiting} then ${epochOf(waitingSince)} end as "waitingSince"`

const ofRestaurant = (restaurantApiKey: string) => sql`
  orders left join deliveries on deliveries.order_api_key = orders.api_key
  where orders.restaurant_api_key = ${restaurantApiKey}`

const isOpen = sql`orders.is_open`
const isDeliveryOpen = sql`(deliveries.order_api_key is not null and deliveries.outcome is null)`

/**
 * The id, as an expression for which the planner cannot use an index. A generic plan expects a third of a restaurant's orders after
 * any position. It would read all of them in the order of their ids to find the changed one.
 */
const idOfFew = sql`orders.id + 0`

/** Older orders are left to an operator: a wrong clock or row must never refund an old order. */
const UNSTARTED_FOR_AT_MOST = sql`interval '1 day'`

/**
 * The orders that wait on a console, as `waiting`, with `since`. `withinMs`: the time that an order may wait there. For the planner:
 * - Of a time with only one limit, which it does not know, it expects a third of all orders; between two limits, 0.5 %.
 * - Without `limit 1` it would search all deliveries for those on a console.
 * - Without `offset 0` it would compute `since` for all orders of the time.
 */
export const waitingOrders = (withinMs: number) => sql`(
  select orders.*, ${waitingSince} as since from orders
    cross join lateral (select link_kind from deliveries where order_api_key = api_key limit 1) as deliveries
  where ${isWaiting}
    and placed_at between now() - ${withinMs} * interval '1 millisecond' - ${UNSTARTED_FOR_AT_MOST} and now() offset 0) waiting`

/** Reads orders, as their restaurants see them. */
export class PostgresRestaurantOrders extends PostgresStore {
  /** Newest first. `before`: the id of the previous page's last order. */
  list(
    restaurantApiKey: string,
    { open, before, limit }: { open: boolean; before: number | null; limit: number },
  ): Promise<OrderPage<ReceivedOrder>> {
    const from = sql`${ofRestaurant(restaurantApiKey)}
      and ${isTransmitted} and ${open ? isOpen : sql`true`} and ${isBefore(before)}`
    return readPage(this.db, { columns, from, direction: NEWEST_FIRST, limit })
  }

  /**
   * Returns orders that have changed since the position, oldest first; with `whole`, also all open orders. `after`: the id of the
   * previous page's last order.
   */
  changed(
    restaurantApiKey: string,
    { since, whole, after, limit }: { since: Position | null; whole: boolean; after: number; limit: number },
  ): Promise<OrderPage<Row>> {
    const id = whole ? sql`orders.id` : idOfFew
    const hasChanged = since === null ? sql`false` : hasChangedSince(since)
    const from = sql`${ofRestaurant(restaurantApiKey)}
      and ${isTransmitted} and (${hasChanged} or ${whole ? isOpen : sql`false`}) and ${id} > ${after}`
    return readPage(this.db, { columns, from, id, direction: OLDEST_FIRST, limit })
  }

  /**
   * Returns null for an order of another restaurant. Returns also an order that the restaurant has before its response is stored,
   * because a fast kitchen reads it then, and a failed order that the restaurant may have nevertheless.
   */
  async find(restaurantApiKey: string, apiKey: string): Promise<ReceivedOrder | null> {
    const { rows } = await sql<Row>`
    select ${columns} from ${ofRestaurant(restaurantApiKey)} and orders.api_key = ${apiKey}
      and (${isTransmitted} or ${isDeliveryOpen} or deliveries.outcome = 'unreachable')`.execute(this.db)
    return rows[0] ?? null
  }

  /** Returns orders that their restaurants have not started on a console within `withinMs`, at most `limit`, oldest first. */
  async unstarted(given: { withinMs: number; limit: number }): Promise<{ orderApiKey: string }[]> {
    const { withinMs, limit } = given
    const { rows } = await sql<{ orderApiKey: string }>`
    select api_key as "orderApiKey" from ${waitingOrders(withinMs)}
    where since < now() - ${withinMs} * interval '1 millisecond'
    order by since limit ${limit}`.execute(this.db)
    return rows
  }
}
