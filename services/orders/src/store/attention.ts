import { createHash } from 'node:crypto'
import type { Before } from '@platter/contracts'
import { sql } from 'kysely'
import type { SendOrderFacts, State } from '#/domain/saga-row.ts'
import { isUnaccepted as isUnacceptedOnConsole } from '#/store/restaurant-orders.ts'
import type { Db } from '#/store/tables.ts'

/** A message that could not be handled, and as much of what it says as can be read. */
export type NewDeadLetter = {
  command: string
  orderApiKey: string | null
  step: string | null
  content: Buffer
  requestId: string
  reason: string
}

/** The same for a command and a step of an order, and for the same bytes: a row each, however often they die. */
function idOf({ command, orderApiKey, step, content }: NewDeadLetter): string {
  const hash = createHash('sha256').update(`${command}\0${orderApiKey ?? ''}\0${step ?? ''}\0`)
  if (orderApiKey === null) hash.update(content)
  return hash.digest('hex').slice(0, 48)
}

export async function keepDeadLetter(db: Db, letter: NewDeadLetter): Promise<void> {
  const { command, orderApiKey, step, content, requestId, reason } = letter
  await sql`
    insert into dead_letters (id, command, order_api_key, step, content, request_id, reason)
    values (${idOf(letter)}, ${command}, ${orderApiKey}, ${step}, ${content}, ${requestId}, ${reason})
    on conflict (id) do update set content = excluded.content, request_id = excluded.request_id,
      reason = excluded.reason, deaths = dead_letters.deaths + 1, last_at = now()`.execute(db)
}

type Page = { before: Before | null; limit: number }

/* eslint-disable no-restricted-properties -- callers name columns of this schema */
const microseconds = (column: string) => sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::int8`

/** Newest first, from after a position; by bytes, so that every source sorts alike. */
const pageOf = (at: ReturnType<typeof microseconds>, id: string, { before, limit }: Page) => sql`
  ${before === null ? sql`true` : sql`(${at}, ${sql.ref(id)} collate "C") < (${before.at}::int8, ${before.id}::text collate "C")`}
  order by ${at} desc, ${sql.ref(id)} collate "C" desc limit ${limit}`
/* eslint-enable no-restricted-properties */

export type DeadLetterRow = {
  id: string
  command: string
  orderApiKey: string | null
  step: string | null
  reason: string
  deaths: number
  at: number
}

export async function deadLetters(db: Db, page: Page): Promise<DeadLetterRow[]> {
  const at = microseconds('first_at')
  const { rows } = await sql<DeadLetterRow>`
    select id, command, order_api_key as "orderApiKey", step, reason, deaths, ${at} as at
    from dead_letters where ${pageOf(at, 'id', page)}`.execute(db)
  return rows
}

export type KeptDeadLetter = { command: string; content: Buffer; requestId: string; deaths: number }

export async function findDeadLetter(db: Db, id: string): Promise<KeptDeadLetter | null> {
  const { rows } = await sql<KeptDeadLetter>`
    select command, content, request_id as "requestId", deaths from dead_letters where id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** Forgets a dead letter that was said again, unless it has died once more meanwhile. */
export async function forgetDeadLetter(db: Db, id: string, { deaths }: KeptDeadLetter): Promise<void> {
  await sql`delete from dead_letters where id = ${id} and deaths = ${deaths}`.execute(db)
}

export type OverdueSaga = {
  orderApiKey: string
  facts: SendOrderFacts
  state: State
  attempt: number
  at: number
}

/** Sagas that have not ended by their deadline. */
export async function overdueSagas(db: Db, page: Page): Promise<OverdueSaga[]> {
  const at = microseconds('deadline_at')
  const { rows } = await sql<OverdueSaga>`
    select order_api_key as "orderApiKey", facts, state, attempt, ${at} as at from sagas
    where finished_at is null and deadline_at <= now() and ${pageOf(at, 'order_api_key', page)}`.execute(db)
  return rows
}

export type UnacceptedOrder = {
  orderApiKey: string
  restaurantApiKey: string
  cancelledAt: number
  at: number
}

const halfOf = (withinMs: number) => sql`o.placed_at + ${withinMs / 2}::float8 * interval '1 millisecond'`

/** Orders that nobody at a console has moved on in half of `withinMs`, after which they are cancelled. */
export async function unacceptedOrders(db: Db, page: Page, withinMs: number): Promise<UnacceptedOrder[]> {
  const half = halfOf(withinMs)
  const at = sql`(extract(epoch from ${half}) * 1000000)::int8`
  const { rows } = await sql<UnacceptedOrder>`
    select o.api_key as "orderApiKey", o.restaurant_api_key as "restaurantApiKey", ${at} as at,
      floor(extract(epoch from o.placed_at) + ${withinMs / 1_000}::float8)::int8 as "cancelledAt"
    from orders o join deliveries d on d.order_api_key = o.api_key
    where ${isUnacceptedOnConsole(withinMs)} and ${half} <= now() and ${pageOf(at, 'o.api_key', page)}`.execute(
    db,
  )
  return rows
}

/** Whether the order is one of `unacceptedOrders`. */
export async function isUnaccepted(db: Db, orderApiKey: string, withinMs: number): Promise<boolean> {
  const { rows } = await sql`
    select from orders o join deliveries d on d.order_api_key = o.api_key
    where o.api_key = ${orderApiKey} and ${isUnacceptedOnConsole(withinMs)} and ${halfOf(withinMs)} <= now()`.execute(
    db,
  )
  return rows.length > 0
}

/** Lets the sweeper republish a saga's command now. False when there is no such saga, or it has ended. */
export async function wakeSaga(db: Db, orderApiKey: string): Promise<boolean> {
  const { rows } = await sql<{ runs: boolean }>`
    update sagas set wake_at = now() where order_api_key = ${orderApiKey}
    returning finished_at is null as runs`.execute(db)
  return rows[0]?.runs ?? false
}
