import { epochOf, microsecondsOf } from '@platter/kit/postgres/epoch'
import { newestIncidents } from '@platter/kit/postgres/newest-incidents'
import { sql } from 'kysely'
import { apiKeyOf } from '#/api-key-of.ts'
import type { SendOrderFacts, State } from '#/domain/saga-row.ts'
import { waitingOrders } from '#/store/restaurant-orders.ts'
import { IS_OVERDUE } from '#/store/sagas.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

/** A message that no consumer could handle, with the parts that can be parsed. */
type NewDeadLetter = {
  command: string
  orderApiKey: string | null
  step: string | null
  content: Buffer
  requestId: string
  reason: string
}

/** Returns the id of the row: one row per command, order and step, or per identical bytes, however often the message dies. */
const idOf = ({ command, orderApiKey, step, content }: NewDeadLetter): string =>
  apiKeyOf(command, orderApiKey ?? '', step ?? '', orderApiKey === null ? content.toString('latin1') : '')

type DeadLetterRow = {
  id: string
  command: string
  orderApiKey: string | null
  step: string | null
  reason: string
  deaths: number
  at: number
}

type StoredDeadLetter = { command: string; content: Buffer; requestId: string; deaths: number }

type OverdueSaga = {
  orderApiKey: string
  facts: SendOrderFacts
  state: State
  attempt: number
  at: number
}

/** `phone`: null in orders of an earlier version. */
type RestaurantOfOrder = { orderApiKey: string; restaurantApiKey: string; phone: string | null }

type UnstartedOrder = RestaurantOfOrder & { cancelledAt: number; at: number }

type UnconfirmedCancellation = RestaurantOfOrder & { attempts: number; at: number }

const restaurantOfOrder = sql`api_key as "orderApiKey", restaurant_api_key as "restaurantApiKey",
  details ->> 'restaurantPhone' as phone`

/** `amount`: cents of the failed refunds. */
type FailedRefund = { orderApiKey: string; amount: number; at: number }

/** The refunds that were requested here and have failed in the last 30 days, and after whose failure no other one was requested. */
const FAILURES = sql`
  select sum((failed ->> 'amount')::int4)::int4 as amount, max((failed ->> 'failedAt')::int8) * 1000000 as at
  from jsonb_array_elements(refunds) as failed
  where (failed ->> 'failedAt')::int8 > ${epochOf(sql`now() - interval '30 days'`)}
    and not exists (select from jsonb_array_elements(refunds) as later
      where later ->> 'requestedBy' <> 'processor' and later ->> 'apiKey' <> failed ->> 'apiKey'
        and (later ->> 'date')::int8 >= (failed ->> 'failedAt')::int8)`

/** Unfinished sagas in the same state. `seconds`: the age of the oldest. `facts` and `state` are those of one of them. */
type UnfinishedSagas = { count: number; seconds: number; facts: SendOrderFacts; state: State }

/** Reads incidents (dead letters, overdue sagas, unstarted orders, unconfirmed cancellations, failed refunds), and the counts of the gauges. */
export class PostgresIncidents extends PostgresStore {
  async storeDeadLetter(deadLetter: NewDeadLetter): Promise<void> {
    const { command, orderApiKey, step, content, requestId, reason } = deadLetter
    await sql`
    insert into dead_letters (id, command, order_api_key, step, content, request_id, reason)
    values (${idOf(deadLetter)}, ${command}, ${orderApiKey}, ${step}, ${content}, ${requestId}, ${reason})
    on conflict (id) do update set content = excluded.content, request_id = excluded.request_id,
      reason = excluded.reason, deaths = dead_letters.deaths + 1, last_at = now()`.execute(this.db)
  }

  async deadLetters(): Promise<DeadLetterRow[]> {
    const at = microsecondsOf('first_at')
    const { rows } = await sql<DeadLetterRow>`
    select id, command, order_api_key as "orderApiKey", step, reason, deaths, ${at} as at
    from dead_letters ${newestIncidents}`.execute(this.db)
    return rows
  }

  async findDeadLetter(id: string): Promise<StoredDeadLetter | null> {
    const { rows } = await sql<StoredDeadLetter>`
    select command, content, request_id as "requestId", deaths from dead_letters where id = ${id}`.execute(
      this.db,
    )
    return rows[0] ?? null
  }

  /** Deletes a dead letter that was republished, unless it has died again since. */
  async deleteDeadLetter(id: string, { deaths }: StoredDeadLetter): Promise<void> {
    await sql`delete from dead_letters where id = ${id} and deaths = ${deaths}`.execute(this.db)
  }

  /** Deletes a dead letter. Returns false if it does not exist. */
  async discardDeadLetter(id: string): Promise<boolean> {
    const { rows } = await sql`delete from dead_letters where id = ${id} returning id`.execute(this.db)
    return rows.length > 0
  }

  /** Returns unfinished sagas past their deadline. A refund may be pending at the processor for a day. */
  async overdueSagas(): Promise<OverdueSaga[]> {
    const at = microsecondsOf('deadline_at')
    const { rows } = await sql<OverdueSaga>`
    select order_api_key as "orderApiKey", facts, state, attempt, ${at} as at from sagas
    where finished_at is null and ${IS_OVERDUE} ${newestIncidents}`.execute(this.db)
    return rows
  }

  /**
   * Returns orders that their restaurants have not started on a console within half of `withinMs`, after which they are cancelled.
   */
  async unstartedOrders(withinMs: number): Promise<UnstartedOrder[]> {
    const half = sql`since + ${withinMs / 2}::float8 * interval '1 millisecond'`
    const at = microsecondsOf(half)
    const { rows } = await sql<UnstartedOrder>`
    select ${restaurantOfOrder}, ${at} as at,
      ${epochOf('since')} + ${Math.floor(withinMs / 1_000)} as "cancelledAt"
    from ${waitingOrders(withinMs)} where ${half} <= now() ${newestIncidents}`.execute(this.db)
    return rows
  }

  /**
   * Returns cancelled and failed orders whose notice has been unconfirmed for two minutes: three attempts. Notices end a day after the
   * cancellation, at `cancel_until`. With only one limit for `cancel_at`, the planner would read all deliveries.
   */
  async unconfirmedCancellations(): Promise<UnconfirmedCancellation[]> {
    const overdue = sql`cancel_until - interval '1 day' + interval '2 minutes'`
    const { rows } = await sql<UnconfirmedCancellation>`
    select ${restaurantOfOrder}, cancel_attempts as attempts, ${microsecondsOf(overdue)} as at
    from deliveries join orders on api_key = order_api_key
    where cancel_at between now() - interval '1 day' and now() + interval '1 day' and ${overdue} <= now() ${newestIncidents}`.execute(
      this.db,
    )
    return rows
  }

  /** Returns orders with a failed refund. Another refund ends the incident. */
  async failedRefunds(): Promise<FailedRefund[]> {
    // The first condition is that of the index `orders_failed_refunds`.
    const { rows } = await sql<FailedRefund>`
    select api_key as "orderApiKey", amount, at from orders, lateral (${FAILURES}) as failures
    where refunds @> '[{"state": "FAILED"}]' and cancellation is null and amount is not null ${newestIncidents}`.execute(
      this.db,
    )
    return rows
  }

  /** Makes a saga due now. Returns false for a finished or missing saga. */
  async makeSagaDue(orderApiKey: string): Promise<boolean> {
    const { rows } = await sql<{ runs: boolean }>`
    update sagas set wake_at = now() where order_api_key = ${orderApiKey}
    returning finished_at is null as runs`.execute(this.db)
    return rows[0]?.runs ?? false
  }

  /** Returns unfinished sagas by state. The index of unfinished sagas avoids reading others. */
  async countUnfinishedSagas(): Promise<UnfinishedSagas[]> {
    const { rows } = await sql<UnfinishedSagas>`
    with states as (
      select min(order_api_key) as one, count(*)::int as count,
        extract(epoch from now() - min(placed_at))::float8 as seconds
      from sagas join orders on api_key = order_api_key
      where finished_at is null
      group by state->'done', state->'undone', state->'refusal' = 'null', facts->'token' = 'null'
    )
    select count, seconds, facts, state from states join sagas on order_api_key = one`.execute(this.db)
    return rows
  }

  /** Returns the number of dead letters by command; one row with 0 if there are none. */
  async countDeadLetters(): Promise<{ command: string; count: number }[]> {
    const { rows } = await sql<{ command: string; count: number }>`
    select command, count(*)::int as count from dead_letters group by command`.execute(this.db)
    return rows.length > 0 ? rows : [{ command: 'none', count: 0 }]
  }
}
