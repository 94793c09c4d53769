import type { Cents } from '@platter/contracts'
import { batched, matched } from '@platter/kit'
import { prepared } from '@platter/kit/postgres/prepared'
import { sql, type Generated, type Kysely, type RawBuilder, type Selectable } from 'kysely'
import type { Authorization, State } from '#/domain/authorization.ts'
import type { Change } from '#/domain/learn.ts'
import type { Decline } from '#/domain/refusals.ts'

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
type Unknown = { of: Authorization; call: string; reason: string }

/** A statement whose text is built once. */
const statement = <Values extends object>(build: (values: Values) => RawBuilder<Row>) =>
  prepared((db: Db, values: Values) => ({ compile: () => build(values).compile(db) }))

/* Statements that orders share which come at the same time: each gives the rows that it found, made or moved. */

const selectRows = statement(
  ({ orderApiKeys }: { orderApiKeys: readonly string[] }) =>
    sql<Row>`select ${columns} from authorizations where order_api_key = any(${orderApiKeys})`,
)

const read = batched({
  run: async (db: Db, orderApiKeys: readonly string[]) =>
    inOrder(orderApiKeys, await selectRows(db, { orderApiKeys })),
})

const insertRows = statement(
  ({ holds }: { holds: string }) => sql<Row>`
    insert into authorizations (order_api_key, state, amount, token)
    select "orderApiKey", 'sent', amount, token
    from jsonb_to_recordset(${holds}::jsonb) as given("orderApiKey" text, amount integer, token text)
    on conflict (order_api_key) do nothing
    returning ${columns}`,
)

const make = batched({
  keyOf: ({ orderApiKey }: Hold) => orderApiKey,
  run: async (db: Db, holds) =>
    inOrder(
      holds.map(({ orderApiKey }) => orderApiKey),
      await insertRows(db, { holds: JSON.stringify(holds) }),
    ),
})

const updateRows = statement(
  ({ moves, keys }: { moves: string; keys: readonly string[] }) => sql<Row>`
    update authorizations set
      state = given.state,
      processor_id = coalesce(given.processor_id, authorizations.processor_id),
      refusal_code = coalesce(given.refusal_code, authorizations.refusal_code),
      decline_code = coalesce(given.decline_code, authorizations.decline_code),
      unknown_since = null, updated_at = now()
    from jsonb_to_recordset(${moves}::jsonb) as given(
      order_api_key text, from_state text, state text, processor_id text, refusal_code text, decline_code text)
    where authorizations.order_api_key = given.order_api_key and authorizations.order_api_key = any(${keys})
      and authorizations.state = given.from_state
    returning ${columns}`,
)

const moving = {
  keyOf: ({ from }: Move) => from.orderApiKey,
  run: async (db: Db, moves: readonly Move[]) => {
    const keys = moves.map(({ from }) => from.orderApiKey)
    return inOrder(keys, await updateRows(db, { moves: JSON.stringify(moves.map(moveRow)), keys }))
  },
}

const move = batched(moving)

/** Nobody waits for a capture, and the answers of the processor arrive one by one: without this each had its own commit. */
const moveLater = batched({ ...moving, gatherMs: 100 })

const releaseRows = statement(
  ({ orderApiKeys }: { orderApiKeys: readonly string[] }) => sql<Row>`
    insert into authorizations (order_api_key, state, release_requested_at)
    select order_api_key, 'released', now() from unnest(${orderApiKeys}::text[]) as given(order_api_key)
    on conflict (order_api_key) do update
      set release_requested_at = coalesce(authorizations.release_requested_at, now())
    returning ${columns}`,
)

const release = batched({
  keyOf: (orderApiKey: string) => orderApiKey,
  run: async (db: Db, orderApiKeys) => inOrder(orderApiKeys, await releaseRows(db, { orderApiKeys })),
})

const noteRows = statement(
  ({ unknown, keys }: { unknown: string; keys: readonly string[] }) => sql<Row>`
    update authorizations set
      unknown_since = coalesce(unknown_since, now()),
      unknown_call = given.call,
      unknown_reason = given.reason,
      unknown_answers = unknown_answers + 1
    from jsonb_to_recordset(${unknown}::jsonb) as given(order_api_key text, state text, call text, reason text)
    where authorizations.order_api_key = given.order_api_key and authorizations.order_api_key = any(${keys})
      and authorizations.state = given.state`,
)

/** While the processor is unavailable as many are noted at once as commands are handled at once. */
const note = batched({
  keyOf: ({ of }: Unknown) => of.orderApiKey,
  run: async (db: Db, all): Promise<void[]> => {
    const unknown = all.map(({ of: { orderApiKey, state }, call, reason }) => ({
      order_api_key: orderApiKey,
      state,
      call,
      reason,
    }))
    await noteRows(db, {
      unknown: JSON.stringify(unknown),
      keys: unknown.map(({ order_api_key: key }) => key),
    })
    return all.map(() => undefined)
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
      return existing(await release(db, orderApiKey), orderApiKey)
    },

    /** Moves the row on, or gives it as it is when another command has moved it meanwhile. */
    async move(from: Authorization, change: Change): Promise<Authorization> {
      const moved = await (change.state === 'captured' ? moveLater : move)(db, { from, change })
      return moved ?? existing(await find(from.orderApiKey), from.orderApiKey)
    },

    /** Notes that the outcome of a call is unknown; for operators, the saga repeats the command anyway. */
    noteUnknown: (of: Authorization, { call, reason }: { call: string; reason: string }): Promise<void> =>
      note(db, { of, call, reason }),
  }
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
