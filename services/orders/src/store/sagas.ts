import type { Cancellation, Refusal, RestaurantLink } from '@platter/contracts'
import { batched, matched, type IdempotencyScope } from '@platter/kit'
import { sql, type RawBuilder } from 'kysely'
import { firstPaymentState, type OrderCard, type PlacedOrder, type PricedOrder } from '#/domain/order.ts'
import type { Change, SendOrderFacts, State } from '#/domain/saga-row.ts'
import { standingOf, type OrderRow, type Standing } from '#/store/orders.ts'
import type { Db } from '#/store/tables.ts'

export type SagaRow = {
  orderApiKey: string
  version: number
  attempt: number
  facts: SendOrderFacts
  state: State
  requestId: string
}

/** A delivery that is about to be made: held for the one who was told to, and given up at its deadline. */
export type NewDelivery = { busyMs: number; deadlineMs: number }

export type Acceptance = {
  apiKey: string
  applicationId: string
  order: PricedOrder & { details: { card: OrderCard | null } }
  facts: SendOrderFacts
  state: State
  requestId: string
  /** Where the trace of the request stands; null without one. */
  traceparent: string | null
  wakeInMs: number
  deadlineMs: number
  delivery: NewDelivery | null
  /** The client's own number of the request, and how long this replica is going to wait for the order. */
  idempotency: { scope: IdempotencyScope; busyMs: number } | null
}

/**
 * Commit 1 of an order, its acceptance: the order, its first status, its saga, its idempotency key and, for cash, its
 * delivery. Gives the order as it was committed. Orders that come at the same time share the statement.
 */
export const accept = batched({
  keyOf: ({ apiKey }: Acceptance) => apiKey,
  run: async (db: Db, all): Promise<PlacedOrder[]> => {
    const { rows } = await sql<Pick<OrderRow, 'api_key' | 'id' | 'placed_at' | 'reports'>>`
      with given as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(all.map(acceptanceRow))}::jsonb) as given(
          api_key text, application_id text, recipient_api_key text, restaurant_api_key text, method text,
          payment text, test boolean, total integer, payment_state text, details jsonb,
          facts jsonb, state jsonb, request_id text, traceparent text, wake_in float8, deadline_in float8,
          delivery_busy float8, delivery_deadline float8,
          access_key_id text, path text, key text, fingerprint text, key_busy float8)
      ), placed as (
        insert into orders (api_key, application_id, recipient_api_key, restaurant_api_key, method, payment, test,
                            total, status, payment_state, details, reports)
        select api_key, application_id, recipient_api_key, restaurant_api_key, method, payment, test,
               total, 'PROCESSING', payment_state, details, coalesce(
                 (select link ->> 'reports' from restaurant_links l where l.restaurant_api_key = given.restaurant_api_key),
                 'detailed') from given
        returning api_key, id, placed_at, reports
      ), noted as (
        insert into order_statuses (order_api_key, position, status) select api_key, 0, 'PROCESSING' from given
      ), delivery as (
        ${newDeliveries(sql`api_key`, sql`given`)}
      ), keyed as (
        insert into idempotency_keys (access_key_id, path, key, fingerprint, order_api_key, busy_until)
        select access_key_id, path, key, fingerprint, api_key, now() + ${milliseconds(sql`key_busy`)}
        from given where key is not null
      ), saga as (
        insert into sagas (order_api_key, facts, state, request_id, traceparent, wake_at, deadline_at)
        select api_key, facts, state, request_id, traceparent,
               now() + ${milliseconds(sql`wake_in`)}, now() + ${milliseconds(sql`deadline_in`)} from given
      )
      select api_key, id, placed_at, reports from placed
    `.execute(db)
    const placed = new Map(rows.map((row) => [row.api_key, row]))
    return all.map((accepted) => acceptedOrder(accepted, placed.get(accepted.apiKey)))
  },
})

type Placed = Pick<OrderRow, 'id' | 'placed_at' | 'reports'>

function acceptedOrder({ apiKey, order }: Acceptance, row: Placed | undefined): PlacedOrder {
  if (!row) throw new Error(`order ${apiKey} was not inserted`)
  return {
    ...order,
    apiKey,
    id: row.id,
    datePlaced: Math.floor(row.placed_at.getTime() / 1000),
    status: 'PROCESSING',
    paymentState: firstPaymentState(order),
    cancellation: null,
    reports: row.reports,
  }
}

function acceptanceRow({ order, idempotency, delivery, ...accepted }: Acceptance) {
  return {
    api_key: accepted.apiKey,
    application_id: accepted.applicationId,
    recipient_api_key: order.recipientApiKey,
    restaurant_api_key: order.restaurantApiKey,
    method: order.method,
    payment: order.payment,
    test: order.test,
    total: order.total,
    payment_state: firstPaymentState(order),
    details: order.details,
    facts: accepted.facts,
    state: accepted.state,
    request_id: accepted.requestId,
    traceparent: accepted.traceparent,
    wake_in: accepted.wakeInMs,
    deadline_in: accepted.deadlineMs,
    ...deliveryRow(delivery),
    ...(idempotency && keyRow(idempotency)),
  }
}

const deliveryRow = (delivery: NewDelivery | null) =>
  delivery && { delivery_busy: delivery.busyMs, delivery_deadline: delivery.deadlineMs }

function keyRow({ scope, busyMs }: NonNullable<Acceptance['idempotency']>) {
  const { accessKeyId, path, key, fingerprint } = scope
  return { access_key_id: accessKeyId, path, key, fingerprint, key_busy: busyMs }
}

const milliseconds = (ms: RawBuilder<unknown>) => sql`${ms} * interval '1 millisecond'`

const newDeliveries = (orderApiKey: RawBuilder<unknown>, rows: RawBuilder<unknown>) => sql`
  insert into deliveries (order_api_key, busy_until, deadline_at)
  select ${orderApiKey}, now() + ${milliseconds(sql`delivery_busy`)}, now() + ${milliseconds(sql`delivery_deadline`)}
  from ${rows} where delivery_busy is not null on conflict do nothing`

/**
 * `finished_at is null`, in words in which PostgreSQL does not know the index of unfinished sagas again. That one looks
 * smaller than it is, with the entries of all that finished of late, and a saga that is asked for by its key was looked
 * for in the whole of it: `move` took 0.6 to 1.1 ms of PostgreSQL with 1,500 of them, and takes 0.25 to 0.3.
 */
export const isUnfinished = sql<boolean>`coalesce(finished_at, 'infinity') = 'infinity'`

/** The saga of an order that is not finished, or null. */
export async function find(db: Db, orderApiKey: string): Promise<SagaRow | null> {
  const row = await db
    .selectFrom('sagas')
    .select(['order_api_key', 'version', 'attempt', 'facts', 'state', 'request_id'])
    .where('order_api_key', '=', orderApiKey)
    .where(isUnfinished)
    .executeTakeFirst()
  return row ? sagaRow(row) : null
}

/** What the saga of an order was begun with, finished or not; null when there is no such order. */
export async function factsOf(db: Db, orderApiKey: string): Promise<SendOrderFacts | null> {
  const row = await db
    .selectFrom('sagas')
    .select('facts')
    .where('order_api_key', '=', orderApiKey)
    .executeTakeFirst()
  return row?.facts ?? null
}

export type SelectedSaga = {
  order_api_key: string
  version: number
  attempt: number
  facts: SendOrderFacts
  state: State
  request_id: string
}

export const sagaRow = (row: SelectedSaga): SagaRow => ({
  orderApiKey: row.order_api_key,
  version: row.version,
  attempt: row.attempt,
  facts: row.facts,
  state: row.state,
  requestId: row.request_id,
})

/** `link`: by which it was accepted or refused; null leaves that of the last attempt. */
export type Delivered = {
  outcome: 'accepted' | 'refused' | 'unreachable'
  link: RestaurantLink['kind'] | null
}

/** What one step of a saga changes, all in one commit. */
export type Transition = {
  state: State
  change: Change
  /** Null ends the saga. */
  wakeInMs: number | null
  delivery: NewDelivery | null
  /** How the delivery ended, when this is the answer to it. */
  delivered: Delivered | null
  /** Ends it as failed; a client who was told of the order sees it as cancelled. */
  failure: { refusal: Refusal; cancellation: Cancellation } | null
}

/**
 * Moves the saga on from the version that was read, and the order with it. Null when somebody else has moved it
 * meanwhile: then nothing is changed. Sagas that move at the same time share the statement.
 */
export const move = (
  db: Db,
  saga: Pick<SagaRow, 'orderApiKey' | 'version'>,
  to: Transition,
): Promise<Moved | null> => moved(db, { ...saga, ...to })

/** `age`: seconds since the order was placed. `standing`: of an order that its restaurant has now, or that failed. */
export type Moved = { age: number; standing: Standing | null }

type Move = Pick<SagaRow, 'orderApiKey' | 'version'> & Transition

/** A restaurant that was given up may have the order all the same: it is told for a day that it is off. */
const moved = batched({
  keyOf: ({ orderApiKey }: Move) => orderApiKey,
  run: async (db: Db, all) => {
    const keys = all.map(({ orderApiKey }) => orderApiKey)
    const { rows } = await sql<OrderRow & { age: number }>`
      with given as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(all.map(moveRow))}::jsonb) as given(
          order_api_key text, version integer, state jsonb, wake_in float8, status text, payment_state text,
          cancellation jsonb, delivered text, link_kind text, delivery_busy float8, delivery_deadline float8)
      ), moved as (
        update sagas set version = sagas.version + 1, attempt = 1, state = given.state,
          wake_at = now() + ${milliseconds(sql`coalesce(wake_in, 0)`)},
          finished_at = case when wake_in is null then now() end
        from given
        where sagas.order_api_key = given.order_api_key and sagas.order_api_key = any(${keys})
          and sagas.version = given.version and ${isUnfinished}
        returning given.*
      ), changed as (
        update orders set
          status = coalesce(moved.status, orders.status),
          payment_state = coalesce(moved.payment_state, case
            when moved.cancellation is not null and orders.payment_state in ('PENDING', 'DUE', 'AUTHORIZED') then 'VOIDED'
            else orders.payment_state end),
          outcome = case when moved.cancellation is not null and outcome = 'pending' then 'failed'
            when moved.status is not null then 'transmitted' else outcome end,
          cancellation = coalesce(orders.cancellation, moved.cancellation)
        from moved where api_key = order_api_key and api_key = any(${keys})
        returning orders.*
      ), noted as (
        insert into order_statuses (order_api_key, position, status)
        select order_api_key, 1, status from moved where status is not null
      ), begun as (
        ${newDeliveries(sql`order_api_key`, sql`moved`)}
      ), ended as (
        update deliveries set outcome = coalesce(delivered, outcome),
          link_kind = coalesce(moved.link_kind, deliveries.link_kind),
          cancel_at = case when cancellation is not null and coalesce(delivered, outcome) = 'unreachable' then now() end,
          cancel_until = now() + interval '1 day'
        from moved
        where deliveries.order_api_key = moved.order_api_key and deliveries.order_api_key = any(${keys})
          and delivery_busy is null
          and (delivered is not null or cancellation is not null)
      )
      select changed.*, extract(epoch from now() - placed_at)::float8 as age from changed
    `.execute(db)
    return matched(keys, rows, ({ api_key }) => api_key).map(
      (row, at) => row && { age: row.age, standing: standingAfter(row, all[at]) },
    )
  },
})

const standingAfter = (row: OrderRow, to: Move | undefined): Standing | null =>
  to && (to.change.status !== undefined || to.failure) ? standingOf({ ...row, state: to.state }) : null

const moveRow = ({ orderApiKey, version, state, change, wakeInMs, ...rest }: Move) => ({
  order_api_key: orderApiKey,
  version,
  state,
  wake_in: wakeInMs,
  status: change.status ?? null,
  payment_state: change.paymentState ?? null,
  cancellation: rest.failure?.cancellation ?? null,
  delivered: rest.delivered?.outcome ?? null,
  link_kind: rest.delivered?.link ?? null,
  ...deliveryRow(rest.delivery),
})

export type DueSaga = SagaRow & { overdue: boolean; traceparent: string | null }

/**
 * Sagas whose command has not been answered in time, at most `limit`: counted as said once more, and put off
 * twice as long as before (2 s to 60 s, ±20 %), so that no two replicas say the same one at once.
 */
export async function takeDue(db: Db, limit: number): Promise<DueSaga[]> {
  const { rows } = await sql<SelectedSaga & { overdue: boolean; traceparent: string | null }>`
    update sagas set attempt = attempt + 1,
      wake_at = now() + least(interval '60 seconds', interval '2 seconds' * power(2, least(attempt - 1, 5))) * (0.8 + 0.4 * random())
    where order_api_key in (
      select order_api_key from sagas where finished_at is null and wake_at <= now()
      order by wake_at limit ${limit} for update skip locked)
    returning order_api_key, version, attempt, facts, state, request_id, traceparent, deadline_at <= now() as overdue
  `.execute(db)
  return rows.map((row) => ({ ...sagaRow(row), overdue: row.overdue, traceparent: row.traceparent }))
}
