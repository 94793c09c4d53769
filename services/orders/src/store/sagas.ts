import type { Cancellation, Refusal } from '@platter/contracts'
import type { IdempotencyScope } from '@platter/kit'
import { sql } from 'kysely'
import type { OrderCard, PricedOrder } from '#/domain/order.ts'
import { firstPaymentState } from '#/domain/order.ts'
import type { Change, SendOrderFacts, State } from '#/domain/saga-row.ts'
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

const milliseconds = (ms: number) => sql`${ms} * interval '1 millisecond'`

/** Commit 1 of an order, its acceptance: the order, its first status, its saga, its idempotency key and, for cash, its delivery, in one statement. */
export async function accept(db: Db, accepted: Acceptance): Promise<void> {
  const { apiKey, order, facts, state, requestId, delivery } = accepted
  await sql`
    with placed as (
      insert into orders (api_key, application_id, recipient_api_key, restaurant_api_key, method, payment, test,
                          total, status, payment_state, details)
      values (${apiKey}, ${accepted.applicationId}, ${order.recipientApiKey}, ${order.restaurantApiKey}, ${order.method},
              ${order.payment}, ${order.test}, ${order.total}, 'PROCESSING', ${firstPaymentState(order)},
              ${JSON.stringify(order.details)})
    ), noted as (
      insert into order_statuses (order_api_key, position, status) values (${apiKey}, 0, 'PROCESSING')
    ), delivery as (
      ${newDelivery(apiKey, delivery)}
    ), ${newKey(apiKey, accepted.idempotency)}
    insert into sagas (order_api_key, facts, state, request_id, traceparent, wake_at, deadline_at)
    values (${apiKey}, ${JSON.stringify(facts)}, ${JSON.stringify(state)}, ${requestId}, ${accepted.traceparent},
            now() + ${milliseconds(accepted.wakeInMs)}, now() + ${milliseconds(accepted.deadlineMs)})
  `.execute(db)
}

const newKey = (apiKey: string, idempotency: Acceptance['idempotency']) => {
  if (!idempotency) return sql`keyed as (select)`
  const { accessKeyId, path, key, fingerprint } = idempotency.scope
  return sql`keyed as (
    insert into idempotency_keys (access_key_id, path, key, fingerprint, order_api_key, busy_until)
    values (${accessKeyId}, ${path}, ${key}, ${fingerprint}, ${apiKey}, now() + ${milliseconds(idempotency.busyMs)}))`
}

function newDelivery(apiKey: string, delivery: NewDelivery | null, when = sql`true`) {
  const { busyMs, deadlineMs } = delivery ?? { busyMs: 0, deadlineMs: 0 }
  return sql`
    insert into deliveries (order_api_key, busy_until, deadline_at)
    select ${apiKey}, now() + ${milliseconds(busyMs)}, now() + ${milliseconds(deadlineMs)}
    where ${delivery !== null} and ${when} on conflict do nothing`
}

/** The saga of an order that is not finished, or null. */
export async function find(db: Db, orderApiKey: string): Promise<SagaRow | null> {
  const row = await db
    .selectFrom('sagas')
    .select(['order_api_key', 'version', 'attempt', 'facts', 'state', 'request_id'])
    .where('order_api_key', '=', orderApiKey)
    .where('finished_at', 'is', null)
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

/** What one step of a saga changes, all in one commit. */
export type Transition = {
  state: State
  change: Change
  /** Null ends the saga. */
  wakeInMs: number | null
  delivery: NewDelivery | null
  /** How the delivery ended, when this is the answer to it. */
  delivered: 'accepted' | 'refused' | 'unreachable' | null
  /** Ends it as failed; a client who was told of the order sees it as cancelled. */
  failure: { refusal: Refusal; cancellation: Cancellation } | null
}

/**
 * Moves the saga on from the version that was read, and the order with it. False when somebody else has
 * moved it meanwhile: then nothing is changed.
 */
export async function move(
  db: Db,
  { orderApiKey, version }: SagaRow,
  transition: Transition,
): Promise<boolean> {
  const { state, change, wakeInMs, delivery, delivered, failure } = transition
  const { rows } = await sql<{ order_api_key: string }>`
    with moved as (
      update sagas set version = version + 1, attempt = 1, state = ${JSON.stringify(state)},
        wake_at = now() + ${milliseconds(wakeInMs ?? 0)},
        finished_at = case when ${wakeInMs === null} then now() end
      where order_api_key = ${orderApiKey} and version = ${version} and finished_at is null
      returning order_api_key
    ), changed as (
      update orders set
        status = coalesce(${change.status ?? null}, status),
        payment_state = coalesce(${change.paymentState ?? null}, case
          when ${failure !== null} and payment_state in ('PENDING', 'DUE', 'AUTHORIZED') then 'VOIDED'
          else payment_state end),
        outcome = case when ${failure !== null} and outcome = 'pending' then 'failed' when ${change.status !== undefined} then 'transmitted' else outcome end,
        cancellation = coalesce(cancellation, ${failure && JSON.stringify(failure.cancellation)}::jsonb)
      where api_key in (select order_api_key from moved)
    ), noted as (
      insert into order_statuses (order_api_key, position, status)
      select order_api_key, 1, ${change.status ?? null} from moved where ${change.status !== undefined}
    ), delivery as (
      ${delivery ? newDelivery(orderApiKey, delivery, sql`exists (select from moved)`) : settled(orderApiKey, { delivered, failed: failure !== null })}
    )
    select order_api_key from moved
  `.execute(db)
  return rows.length > 0
}

/** A restaurant that was given up may have the order all the same: it is told for a day that it is off. */
const settled = (
  orderApiKey: string,
  { delivered, failed }: { delivered: Transition['delivered']; failed: boolean },
) => sql`
  update deliveries set outcome = coalesce(${delivered}, outcome),
    cancel_at = case when ${failed} and coalesce(${delivered}, outcome) = 'unreachable' then now() end,
    cancel_until = now() + interval '1 day'
  where order_api_key = ${orderApiKey} and (${delivered !== null} or ${failed}) and order_api_key in (select order_api_key from moved)`

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
