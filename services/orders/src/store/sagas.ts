import { batched, matched, type IdempotencyScope, type Db } from '@platter/kit'
import { epochOf } from '@platter/kit/postgres/epoch'
import { sql } from 'kysely'
import type { OrderState, SagaOrder } from '#/domain/order-state.ts'
import type { Saga } from '#/domain/saga-row.ts'
import { ORDER, type OrderRow } from '#/store/order-row.ts'
import { GIVEN, savedRow, type Saved } from '#/store/saved-saga.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

export type { Times } from '#/store/saved-saga.ts'

/* Loads and saves. `saga/domain/transition.ts` decides what changes; no statement depends on a state. */

export type Loaded = { order: SagaOrder; saga: Saga }

export type Placement = Saved & {
  order: SagaOrder
  applicationId: string
  /** The trace context of the request; null without one. */
  traceparent: string | null
  /** The idempotency key of the request, and the duration of its claim. */
  idempotency: { scope: IdempotencyScope; claimMs: number } | null
}

/** The columns that the database assigns to a placed order. */
type AssignedColumns = Pick<SagaOrder, 'id' | 'datePlaced' | 'reports'>

/** Selects the current time plus the milliseconds in a column of `given`; null if the column is null. */
const inFuture = (
  column: 'retry_in' | 'deadline_in' | 'lease' | 'notice_in' | 'deliver_within' | 'key_busy',
) =>
  // eslint-disable-next-line no-restricted-properties -- a column named here
  sql`now() + ${sql.ref(column)} * interval '1 millisecond'`

/** Saves the delivery of each row of `rows` that has one: a new delivery with its lease, or the end of an existing one. */
const savingDeliveries = (rows: 'given' | 'changed') => sql`
  insert into deliveries (order_api_key, busy_until, deadline_at, outcome, link_kind, cancel_at, cancel_until)
  select order_api_key, ${inFuture('lease')}, ${inFuture('deliver_within')}, delivered, link_kind,
    ${inFuture('notice_in')}, now() + interval '1 day'
  from ${sql.table(rows)} where has_delivery
  on conflict (order_api_key) do update set outcome = excluded.outcome,
    link_kind = coalesce(excluded.link_kind, deliveries.link_kind),
    cancel_at = excluded.cancel_at, cancel_until = excluded.cancel_until`

/** `given`: the placements as JSON. */
const placing = (given: string) => sql<{ apiKey: string } & AssignedColumns>`
    with given as materialized (
      select * from jsonb_to_recordset(${given}::jsonb) as given(${GIVEN},
        application_id text, recipient_api_key text, restaurant_api_key text, method text, payment text, test boolean,
        total integer, details jsonb, request_id text, traceparent text,
        access_key_id text, path text, key text, fingerprint text, key_busy float8)
    ), placed as (
      insert into orders (api_key, application_id, recipient_api_key, restaurant_api_key, method, payment, test,
                          total, status, payment_state, outcome, details, reports)
      select order_api_key, application_id, recipient_api_key, restaurant_api_key, method, payment, test,
             total, coalesce(status, 'PROCESSING'), payment_state, outcome, details, coalesce(
               (select link ->> 'reports' from restaurant_links l where l.restaurant_api_key = given.restaurant_api_key),
               'detailed') from given
      returning api_key as "apiKey", id, ${epochOf('placed_at')} as "datePlaced", reports
    ), noted as (
      insert into order_statuses (order_api_key, position, status)
      select order_api_key, 0, 'PROCESSING' from given
      union all select order_api_key, 1, status from given where status is not null
    ), delivery as (
      ${savingDeliveries('given')}
    ), keyed as (
      insert into idempotency_keys (access_key_id, path, key, fingerprint, order_api_key, busy_until)
      select access_key_id, path, key, fingerprint, order_api_key, ${inFuture('key_busy')} from given where key is not null
    ), begun as (
      insert into sagas (order_api_key, version, facts, state, request_id, traceparent, wake_at, deadline_at, finished_at)
      select order_api_key, version, facts, state, request_id, traceparent, coalesce(${inFuture('retry_in')}, now()),
        ${inFuture('deadline_in')}, case when retry_in is null then now() end from given
    )
    select * from placed`

const placeTogether = batched({
  keyOf: ({ saga }: Placement) => saga.orderApiKey,
  run: async (db: Db, all): Promise<AssignedColumns[]> => {
    const { rows } = await placing(JSON.stringify(all.map(placementRow))).execute(db)
    const keys = all.map(({ saga }) => saga.orderApiKey)
    return matched(keys, rows, ({ apiKey }) => apiKey).map((row, at) => {
      if (!row) throw new Error(`order ${keys[at]} was not inserted`)
      return row
    })
  },
})

const placementRow = ({ idempotency, ...placed }: Placement) => ({
  ...savedRow(placed, placed.order.status === 'PROCESSING' ? null : placed.order.status),
  facts: placed.saga.facts,
  application_id: placed.applicationId,
  recipient_api_key: placed.order.recipientApiKey,
  restaurant_api_key: placed.order.restaurantApiKey,
  method: placed.order.method,
  payment: placed.order.payment,
  test: placed.order.test,
  total: placed.order.total,
  details: placed.order.details,
  request_id: placed.saga.requestId,
  traceparent: placed.traceparent,
  ...(idempotency && {
    access_key_id: idempotency.scope.accessKeyId,
    path: idempotency.scope.path,
    key: idempotency.scope.key,
    fingerprint: idempotency.scope.fingerprint,
    key_busy: idempotency.claimMs,
  }),
})

type LoadedRow = OrderRow & { saga: Saga }

const SAGA = sql`jsonb_build_object('orderApiKey', order_api_key, 'version', sagas.version, 'attempt', sagas.attempt,
  'facts', facts, 'state', state, 'isFinished', finished_at is not null, 'requestId', request_id) as saga`

const loadTogether = batched({
  run: async (db: Db, keys: readonly string[]): Promise<(Loaded | null)[]> => {
    const { rows } = await sql<LoadedRow>`
    select ${ORDER}, ${SAGA} from orders join sagas on order_api_key = api_key
    where api_key = any(${keys}) and order_api_key = any(${keys})`.execute(db)
    const loaded = rows.map(({ saga, ...order }) => ({ saga, order }))
    return matched(keys, loaded, ({ order }) => order.apiKey)
  },
})

/**
 * Whether the order fails after its response was due: the replica that responded may have died before it marked the order. By the
 * clock of the database: with a clock that was 25 s fast on one replica, declined orders were returned with 200.
 */
const isReturnedBefore = sql`(orders.outcome = 'pending' and locked.outcome = 'failed'
  and coalesce(orders.placed_at + respond_within * interval '1 millisecond' <= now(), false))`

/** `given`: the saves as JSON, of the orders `keys`. */
const saving = (given: string, keys: readonly string[]) => sql<{ apiKey: string } & SaveResult>`
    with given as materialized (
      select * from jsonb_to_recordset(${given}::jsonb) as given(${GIVEN}, from_version integer, from_status text)
    ), locked as materialized (
      select given.* from given join sagas on sagas.order_api_key = given.order_api_key
      where sagas.order_api_key = any(${keys}) and sagas.version = given.from_version for update of sagas
    ), changed as (
      update orders set status = coalesce(locked.status, orders.status), outcome = locked.outcome,
        told = orders.told or locked.told or ${isReturnedBefore},
        payment_state = locked.payment_state, cancellation = locked.cancellation, payment_action = locked.payment_action,
        refunds = coalesce(locked.refunds, orders.refunds), refunded = coalesce(locked.refunded, orders.refunded),
        dispute = coalesce(locked.dispute, orders.dispute)
      from locked where orders.api_key = locked.order_api_key and orders.api_key = any(${keys})
        and coalesce(locked.from_status, orders.status) = orders.status
      returning locked.*, orders.told as is_told, extract(epoch from now() - orders.placed_at)::float8 as age
    ), noted as (
      insert into order_statuses (order_api_key, position, status)
      select order_api_key, 1, status from changed where status is not null
    ), delivery as (
      ${savingDeliveries('changed')}
    ), moved as (
      update sagas set version = changed.version, attempt = 1, state = changed.state,
        wake_at = coalesce(${inFuture('retry_in')}, now()), deadline_at = coalesce(${inFuture('deadline_in')}, deadline_at),
        finished_at = case when retry_in is null then now() end
      from changed where sagas.order_api_key = changed.order_api_key and sagas.order_api_key = any(${keys})
    )
    select order_api_key as "apiKey", is_told as "isReturned", age from changed`

export type Save = Saved & {
  from: {
    version: number
    /** The save applies only while the order still has this status; null for any status. */
    status: OrderState['status'] | null
  }
  /** Null leaves it unchanged, because restaurants change it without the saga. */
  status: OrderState['status'] | null
}

export type SaveResult = {
  /** Seconds since the order was placed. */
  age: number
  /** Send-order has returned the order while it was pending. */
  isReturned: boolean
}

const saveTogether = batched({
  keyOf: ({ saga }: Save) => saga.orderApiKey,
  run: async (db: Db, all): Promise<(SaveResult | null)[]> => {
    const keys = all.map(({ saga }) => saga.orderApiKey)
    const given = all.map(({ from, status, ...saved }) => ({
      ...savedRow(saved, status),
      from_version: from.version,
      from_status: from.status,
    }))
    const { rows } = await saving(JSON.stringify(given), keys).execute(db)
    return matched(keys, rows, ({ apiKey }) => apiKey)
  },
})

/** `isOverdue`: the saga is an incident, by the same condition as in the list of an operator. */
export type DueSaga = Loaded & { isExpired: boolean; isOverdue: boolean; traceparent: string | null }

/** An unfinished saga past its deadline. A refund alone may be pending at the processor for a day. */
export const IS_OVERDUE = sql`(deadline_at <= now()
  and (jsonb_array_length(coalesce(state -> 'refunds', '[]')) = 0 or state -> 'refusal' <> 'null'
    or deadline_at <= now() - interval '1 day'))`

/** Sagas with their orders. */
export class PostgresSagas extends PostgresStore {
  /**
   * Places an order (commit 1): inserts the order, its first statuses, its saga, its idempotency key and, if it is already open,
   * its delivery. Concurrent orders share the statement.
   */
  place(placement: Placement): Promise<AssignedColumns> {
    return placeTogether(this.db, placement)
  }

  /** Returns an order with its saga, finished or not; null if it does not exist. */
  load(orderApiKey: string): Promise<Loaded | null> {
    return loadTogether(this.db, orderApiKey)
  }

  /**
   * Saves an order, its saga and its delivery. Returns null and changes nothing if another replica has saved a later version, or
   * the restaurant another status. Concurrent saves share the statement. Every statement that locks both rows locks the saga's row
   * first; otherwise two of them could deadlock.
   */
  save(change: Save): Promise<SaveResult | null> {
    return saveTogether(this.db, change)
  }

  /**
   * Returns at most `limit` sagas whose reply is overdue. Their next attempt is due after twice the last delay (2 s to 60 s, at
   * the bank to 12 s; ±20 %), so that no two replicas publish the same command concurrently.
   */
  async takeDue(limit: number): Promise<DueSaga[]> {
    const { rows } = await sql<LoadedRow & Omit<DueSaga, keyof Loaded>>`
    update sagas set attempt = attempt + 1,
      wake_at = now() + least(case when state ? 'challenge' then interval '12 seconds' else interval '60 seconds' end, interval '2 seconds' * power(2, least(attempt - 1, 5))) * (0.8 + 0.4 * random())
    from orders
    where order_api_key in (
      select order_api_key from sagas where finished_at is null and wake_at <= now()
      order by wake_at limit ${limit} for update skip locked) and api_key = order_api_key
    returning ${ORDER}, ${SAGA}, traceparent, deadline_at <= now() as "isExpired", ${IS_OVERDUE} as "isOverdue"
  `.execute(this.db)
    return rows.map(({ saga, isExpired, isOverdue, traceparent, ...order }) => {
      return { order, saga, isExpired, isOverdue, traceparent }
    })
  }
}
