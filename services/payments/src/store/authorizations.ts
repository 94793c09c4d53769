import { batched, matched, type Db } from '@platter/kit'
import { sql } from 'kysely'
import type { Authorization, Terms } from '#/domain/authorization.ts'
import type { Decline } from '#/domain/declines.ts'
import type { Change } from '#/domain/processor-result.ts'

export type AuthorizationStore = ReturnType<typeof postgresAuthorizations>

/** Qualified, because some statements join rows with columns of the same names. */
const columns = sql`
  authorizations.order_api_key as "orderApiKey", authorizations.state, authorizations.amount, authorizations.token,
  authorizations.processor_id as "processorId", case when authorizations.refusal_code is not null then jsonb_build_object(
    'code', authorizations.refusal_code, 'declineCode', authorizations.decline_code) end as refusal,
  authorizations.release_requested_at is not null as "releaseRequested", authorizations.authentication,
  authorizations.statement_suffix as "statementSuffix", authorizations.saves_card as "savesCard",
  nullif(authorizations.refunded + authorizations.refunded_elsewhere, 0) as refunded,
  extract(epoch from now() - authorizations.created_at)::int8 as "ageSeconds"`

/** An authorization with nulls, where the type has no such member. */
type Row = { orderApiKey: string } & Record<string, unknown>

type NewRow = { orderApiKey: string; state: 'sent' | 'declined'; refusal: Decline | null } & Terms
type Move = { from: Authorization; change: Change }
/** `isMoved`: this call has changed the row. */
export type Moved = { row: Authorization; isMoved: boolean }
type Unknown = { row: Authorization; call: string; reason: string }

/* Each of these statements serves all orders of a batch, and returns the rows that it found, inserted or updated. */

const read = batched({
  run: async (db: Db, orderApiKeys: readonly string[]) => {
    const { rows } = await sql<Row>`
      select ${columns} from authorizations where order_api_key = any(${orderApiKeys})`.execute(db)
    return inOrder(orderApiKeys, rows)
  },
})

const insert = batched({
  keyOf: ({ orderApiKey }: NewRow) => orderApiKey,
  run: async (db: Db, all) => {
    const { rows } = await sql<Row>`
      insert into authorizations (
        order_api_key, state, amount, token, authentication, statement_suffix, saves_card, refusal_code, decline_code)
      select "orderApiKey", state, amount, token, authentication, "statementSuffix", "savesCard",
        refusal ->> 'code', refusal ->> 'declineCode'
      from jsonb_to_recordset(${JSON.stringify(all)}::jsonb) as given(
        "orderApiKey" text, state text, amount integer, token text, authentication jsonb, "statementSuffix" text,
        "savesCard" boolean, refusal jsonb)
      on conflict (order_api_key) do nothing
      returning ${columns}`.execute(db)
    return inOrder(
      all.map(({ orderApiKey }) => orderApiKey),
      rows,
    )
  },
})

const moving = {
  keyOf: ({ from }: Move) => from.orderApiKey,
  run: async (db: Db, moves: readonly Move[]) => {
    const keys = moves.map(({ from }) => from.orderApiKey)
    const given = moves.map(({ from, change }) => ({
      orderApiKey: from.orderApiKey,
      from: from.state,
      ...change,
    }))
    const { rows } = await sql<Row>`
      update authorizations set
        state = given.state,
        processor_id = coalesce("processorId", authorizations.processor_id),
        refusal_code = coalesce(refusal ->> 'code', authorizations.refusal_code),
        decline_code = coalesce(refusal ->> 'declineCode', authorizations.decline_code),
        unknown_since = null, updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(
        "orderApiKey" text, "from" text, state text, "processorId" text, refusal jsonb)
      where order_api_key = "orderApiKey" and order_api_key = any(${keys}) and authorizations.state = "from"
      returning ${columns}`.execute(db)
    return inOrder(keys, rows)
  },
}

const move = batched(moving)

/** No client waits for a capture. The processor's responses arrive one by one; without this delay each had its own commit. */
const moveLater = batched({ ...moving, batchDelayMs: 100 })

const release = batched({
  keyOf: (orderApiKey: string) => orderApiKey,
  run: async (db: Db, orderApiKeys) => {
    const { rows } = await sql<Row>`
      insert into authorizations (order_api_key, state, release_requested_at)
      select order_api_key, 'released', now() from unnest(${orderApiKeys}::text[]) as given(order_api_key)
      on conflict (order_api_key) do update
        set release_requested_at = coalesce(authorizations.release_requested_at, now())
      returning ${columns}`.execute(db)
    return inOrder(orderApiKeys, rows)
  },
})

const inOrder = (orderApiKeys: readonly string[], rows: readonly Row[]): (Authorization | null)[] =>
  matched(orderApiKeys, rows, ({ orderApiKey }) => orderApiKey).map((row) => row && withoutNulls(row))

/** The constraints of the table guarantee the columns of each state, as the type declares them. */
const withoutNulls = (row: Row) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Authorization

/**
 * The rows of `authorizations`. Each method is one statement, and therefore one transaction. If the row has changed in the
 * meantime, a second statement reads it.
 */
export const postgresAuthorizations = (db: Db) => ({
  find: (orderApiKey: string): Promise<Authorization | null> => read(db, orderApiKey),
  /**
   * Inserts the row with state `sent`, or returns the existing row. Committed before the processor is called. With a `refusal` the
   * new row is `declined`, and no call is made for it.
   */
  async findOrCreate(orderApiKey: string, terms: Terms, refusal?: Decline | null): Promise<Authorization> {
    const state = refusal ? 'declined' : 'sent'
    const inserted = await insert(db, { orderApiKey, state, refusal: refusal ?? null, ...terms })
    return inserted ?? requireAuthorization(await read(db, orderApiKey), orderApiKey)
  },
  /** Sets `releaseRequested`. The row of an order that was never sent is inserted as `released`. */
  requestRelease: async (orderApiKey: string): Promise<Authorization> =>
    requireAuthorization(await release(db, orderApiKey), orderApiKey),
  /** Returns the changed row, or the current row if another command has changed it in the meantime. */
  async move(from: Authorization, change: Change): Promise<Moved> {
    const moved = await (change.state === 'captured' ? moveLater : move)(db, { from, change })
    const row = moved ?? requireAuthorization(await read(db, from.orderApiKey), from.orderApiKey)
    return { row, isMoved: moved !== null }
  },
  /** Records, for operators, that the outcome of a call is unknown. The saga repeats the command independently. */
  async recordUnknown({ row: { orderApiKey, state }, call, reason }: Unknown): Promise<void> {
    await sql`
      update authorizations set unknown_since = coalesce(unknown_since, now()), unknown_call = ${call},
        unknown_reason = ${reason}, unknown_answers = unknown_answers + 1
      where order_api_key = ${orderApiKey} and state = ${state}`.execute(db)
  },
})

function requireAuthorization(found: Authorization | null, orderApiKey: string): Authorization {
  if (!found) throw new Error(`the authorization of order ${orderApiKey} was deleted; rows are never deleted`)
  return found
}
