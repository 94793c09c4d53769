import type { RestaurantLink } from '@platter/contracts'
import { sql } from 'kysely'
import type { LinkKind } from '#/domain/order-state.ts'
import type { PlacedOrder } from '#/domain/order.ts'
import { ORDER, type OrderRow } from '#/store/order-row.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

/*
 * The table is the queue of transmissions. `busy_until` is the time at which the lease of a row expires, or its next attempt is
 * due.
 */

/** The exclusive right to make an attempt. `attempt` is its fencing token: a later lease has a higher number. */
export type Lease = { orderApiKey: string; attempt: number }

/** An open delivery whose lease was acquired. */
export type LeasedDelivery = Lease & {
  order: PlacedOrder
  /** The restaurant's current link; null if it was never set. */
  link: RestaurantLink | null
  /** Whether its deadline has passed. */
  isOverdue: boolean
  /** Whether an attempt was begun, with any result. */
  isTried: boolean
  requestId: string
  traceparent: string | null
}

type LeasedRow = OrderRow & Omit<LeasedDelivery, 'order' | 'orderApiKey'>

/** The result of an attempt that did not end the delivery. `isSent`: the restaurant may have received the order. */
export type Failed = { result: string; link: LinkKind; isSent: boolean }

/**
 * A restaurant whose notice of a cancellation is due. `isSent`: an attempt may have reached it. `sentBy`: the kind of link that
 * transmitted the order, if known.
 */
type DueNotice = {
  order: PlacedOrder
  link: RestaurantLink | null
  isSent: boolean
  sentBy: LinkKind | null
  attempts: number
}

/** The queue of transmissions, and the notices of cancellations. */
export class PostgresDeliveries extends PostgresStore {
  /**
   * Acquires the leases of at most `limit` open deliveries of pending orders that are due: their lease has expired, or their retry
   * delay has passed. Attempt 1 belongs to the replica that committed the delivery. Therefore an earlier attempt was begun if this
   * is the third or a later one, even if its process was killed before it stored a result. After it, an overdue delivery is only ended
   * (`Deliverer`), so this acquisition counts as unsent.
   */
  async acquireLeases({ limit, leaseMs }: { limit: number; leaseMs: number }): Promise<LeasedDelivery[]> {
    const { rows } = await sql<LeasedRow>`
    update deliveries d set attempts = attempts + 1, busy_until = now() + ${leaseMs} * interval '1 millisecond',
      unsent_attempts = unsent_attempts + (d.deadline_at <= now() and (d.last_result is not null or d.attempts > 1))::integer
    from orders join sagas s on s.order_api_key = orders.api_key
    where d.order_api_key in (
        select due.order_api_key from deliveries due join orders on api_key = due.order_api_key
        where due.outcome is null and due.busy_until <= now() and orders.outcome = 'pending'
        order by due.busy_until limit ${limit} for update of due skip locked)
      and orders.api_key = d.order_api_key
    returning ${ORDER}, s.request_id as "requestId", s.traceparent, d.attempts as attempt, d.deadline_at <= now() as "isOverdue",
      d.last_result is not null or d.attempts > 2 as "isTried",
      (select link from restaurant_links l where l.restaurant_api_key = orders.restaurant_api_key) as link`.execute(
      this.db,
    )
    return rows.map(({ attempt, link, isOverdue, isTried, requestId, traceparent, ...order }) => {
      return { orderApiKey: order.apiKey, order, attempt, link, isOverdue, isTried, requestId, traceparent }
    })
  }

  /** Renews leases in one statement. Returns the orders of the renewed leases; other replicas have stolen the rest. */
  async renewLeases(leases: readonly Lease[], leaseMs: number): Promise<ReadonlySet<string>> {
    const { rows } = await sql<{ order_api_key: string }>`
    update deliveries set busy_until = now() + ${leaseMs} * interval '1 millisecond'
    from unnest(${leases.map(({ orderApiKey }) => orderApiKey)}::text[], ${leases.map(({ attempt }) => attempt)}::integer[])
      as leases(api_key, attempt)
    where order_api_key = api_key and attempts = attempt
    returning order_api_key`.execute(this.db)
    return new Set(rows.map(({ order_api_key }) => order_api_key))
  }

  /**
   * Releases a lease until the next attempt, which is due after 2 s, 4 s … 60 s (±20 %), or at the delivery's deadline. `failed`:
   * null if no attempt was begun; then none is counted.
   */
  async releaseLease({ orderApiKey, attempt }: Lease, failed: Failed | null): Promise<void> {
    const { result, link, isSent } = failed ?? { result: null, link: null, isSent: true }
    await sql`
    update deliveries set
      attempts = attempts - ${failed ? 0 : 1}::integer, unsent_attempts = unsent_attempts + ${isSent ? 0 : 1}::integer,
      busy_until = least(
        now() + least(interval '60 seconds', interval '2 seconds' * power(2, least(attempts - 1, 5))) * (0.8 + 0.4 * random()),
        greatest(deadline_at, now() + interval '1 second')),
      last_result = coalesce(${result}, last_result), link_kind = coalesce(${link}, link_kind)
    where order_api_key = ${orderApiKey} and attempts = ${attempt}`.execute(this.db)
  }

  /**
   * Returns at most `limit` cancelled or failed orders whose restaurants have not confirmed the cancellation. Their next notice is due
   * after twice the last delay (30 s to 1 h, ±20 %), for a day.
   */
  async takeDueNotices(limit: number): Promise<DueNotice[]> {
    const { rows } = await sql<OrderRow & Omit<DueNotice, 'order'>>`
    update deliveries d set
      cancel_attempts = cancel_attempts + 1,
      cancel_at = (select case when again <= d.cancel_until then again end from (
        select now() + least(interval '1 hour', interval '30 seconds' * power(2, least(d.cancel_attempts, 7))) * (0.8 + 0.4 * random()) as again
      ) later)
    from orders
    where d.order_api_key in (
        select order_api_key from deliveries where cancel_at <= now()
        order by cancel_at limit ${limit} for update skip locked)
      and orders.api_key = d.order_api_key
    returning ${ORDER}, d.cancel_attempts as attempts, d.link_kind as "sentBy", d.attempts > d.unsent_attempts as "isSent",
      (select link from restaurant_links l where l.restaurant_api_key = orders.restaurant_api_key) as link`.execute(
      this.db,
    )
    return rows.map(({ attempts, isSent, sentBy, link, ...order }) => ({
      order,
      attempts,
      isSent,
      sentBy,
      link,
    }))
  }

  /** Ends the notices of an order after the restaurant's confirmation. */
  async endNotices(orderApiKey: string): Promise<void> {
    await sql`update deliveries set cancel_at = null where order_api_key = ${orderApiKey}`.execute(this.db)
  }
}
