import type { Cents } from '@platter/contracts'
import { batched, matched } from '@platter/kit'
import { sql, type Generated, type Kysely, type Selectable } from 'kysely'
import type { Authorization, State } from '../domain/authorization.ts'
import type { Change } from '../domain/learn.ts'
import type { Decline } from '../domain/refusals.ts'

export type Database = {
  authorizations: {
    order_api_key: string
    state: State
    amount: number | null
    token: string | null
    processor_id: string | null
    refusal_code: Decline['code'] | null
    decline_code: string | null
    release_requested_at: Date | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
    unknown_since: Date | null
    unknown_call: string | null
    unknown_reason: string | null
    unknown_answers: Generated<number>
  }
  webhook_events: { id: string; received_at: Generated<Date> }
}

export type Authorizations = ReturnType<typeof createAuthorizations>

const row = [
  'order_api_key',
  'state',
  'amount',
  'token',
  'processor_id',
  'refusal_code',
  'decline_code',
  'release_requested_at',
  sql<number>`extract(epoch from now() - authorizations.created_at)::int8`.as('age_seconds'),
] as const
type Row = Pick<Selectable<Database['authorizations']>, Extract<(typeof row)[number], string>> & {
  age_seconds: number
}
const columns = sql.join(
  // eslint-disable-next-line no-restricted-properties -- columns of this schema, named here
  row.map((column) => (typeof column === 'string' ? sql.ref(`authorizations.${column}`) : column)),
)

type Db = Kysely<Database>
type Hold = { orderApiKey: string; amount: Cents; token: string }
type Move = { from: Authorization; change: Change }

/* Statements that orders share which come at the same time: each gives the rows that it found, made or moved. */

const read = batched({
  run: async (db: Db, orderApiKeys: readonly string[]) => {
    const { rows } = await sql<Row>`
      select ${columns} from authorizations where order_api_key = any(${orderApiKeys})`.execute(db)
    return inOrder(orderApiKeys, rows)
  },
})

const make = batched({
  keyOf: ({ orderApiKey }: Hold) => orderApiKey,
  run: async (db: Db, holds) => {
    const { rows } = await sql<Row>`
      insert into authorizations (order_api_key, state, amount, token)
      select "orderApiKey", 'sent', amount, token
      from jsonb_to_recordset(${JSON.stringify(holds)}::jsonb) as given("orderApiKey" text, amount integer, token text)
      on conflict (order_api_key) do nothing
      returning ${columns}`.execute(db)
    return inOrder(
      holds.map(({ orderApiKey }) => orderApiKey),
      rows,
    )
  },
})

const move = batched({
  keyOf: ({ from }: Move) => from.orderApiKey,
  run: async (db: Db, moves) => {
    const keys = moves.map(({ from }) => from.orderApiKey)
    const { rows } = await sql<Row>`
      update authorizations set
        state = given.state,
        processor_id = coalesce(given.processor_id, authorizations.processor_id),
        refusal_code = coalesce(given.refusal_code, authorizations.refusal_code),
        decline_code = coalesce(given.decline_code, authorizations.decline_code),
        unknown_since = null, updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(moves.map(moveRow))}::jsonb) as given(
        order_api_key text, from_state text, state text, processor_id text, refusal_code text, decline_code text)
      where authorizations.order_api_key = given.order_api_key and authorizations.order_api_key = any(${keys})
        and authorizations.state = given.from_state
      returning ${columns}`.execute(db)
    return inOrder(keys, rows)
  },
})

const moveRow = ({ from, change }: Move) => ({
  order_api_key: from.orderApiKey,
  state: change.state,
  from_state: from.state,
  ...(change.state === 'declined'
    ? { refusal_code: change.refusal.code, decline_code: change.refusal.declineCode }
    : { processor_id: change.processorId }),
})

const inOrder = (orderApiKeys: readonly string[], rows: readonly Row[]): (Authorization | null)[] =>
  matched(orderApiKeys, rows, ({ order_api_key }) => order_api_key).map((one) => one && toAuthorization(one))

/** The rows of `authorizations`. Each function is one statement and so one transaction. */
export function createAuthorizations(db: Db) {
  const find = (orderApiKey: string): Promise<Authorization | null> => read(db, orderApiKey)

  return {
    find,

    /** "I am about to ask": makes the row, or gives the one that is there already. */
    async send(orderApiKey: string, hold: { amount: Cents; token: string }): Promise<Authorization> {
      const made = await make(db, { orderApiKey, ...hold })
      return made ?? existing(await find(orderApiKey), orderApiKey)
    },

    /** From now on nothing may stay held; of an order that was never sent, nothing may ever be. */
    async requestRelease(orderApiKey: string): Promise<Authorization> {
      const marked = await db
        .insertInto('authorizations')
        .values({ order_api_key: orderApiKey, state: 'released', release_requested_at: sql`now()` })
        .onConflict((conflict) =>
          conflict.column('order_api_key').doUpdateSet({
            release_requested_at: sql`coalesce(authorizations.release_requested_at, now())`,
          }),
        )
        .returning(row)
        .executeTakeFirstOrThrow()
      return toAuthorization(marked)
    },

    /** Moves the row on, or gives it as it is when somebody else has moved it meanwhile. */
    async move(from: Authorization, change: Change): Promise<Authorization> {
      return (await move(db, { from, change })) ?? existing(await find(from.orderApiKey), from.orderApiKey)
    },

    noteUnknown: (of: Authorization, open: OpenCall) => noteUnknown(db, of, open),
  }
}

type OpenCall = { call: string; reason: string }

/** Notes that an answer left open what came of a call; for people, the saga asks again anyway. */
async function noteUnknown(
  db: Kysely<Database>,
  { orderApiKey, state }: Authorization,
  { call, reason }: OpenCall,
): Promise<void> {
  await db
    .updateTable('authorizations')
    .set({
      unknown_since: sql`coalesce(unknown_since, now())`,
      unknown_call: call,
      unknown_reason: reason,
      unknown_answers: sql`unknown_answers + 1`,
    })
    .where('order_api_key', '=', orderApiKey)
    .where('state', '=', state)
    .execute()
}

function existing(found: Authorization | null, orderApiKey: string): Authorization {
  if (!found) throw new Error(`the authorization of order ${orderApiKey} is gone; rows are never deleted`)
  return found
}

/** The table's checks hold what the type says: which columns are filled in which state. */
const toAuthorization = (found: Row): Authorization =>
  ({
    orderApiKey: found.order_api_key,
    state: found.state,
    releaseRequested: found.release_requested_at !== null,
    ageSeconds: found.age_seconds,
    ...(found.amount !== null && { amount: found.amount, token: found.token }),
    ...(found.processor_id !== null && { processorId: found.processor_id }),
    ...(found.refusal_code !== null && {
      refusal: { code: found.refusal_code, declineCode: found.decline_code },
    }),
  }) as Authorization
