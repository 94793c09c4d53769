import type { Cents } from '@platter/contracts'
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

/** The rows of `authorizations`. Each function is one statement and so one transaction. */
export function createAuthorizations(db: Kysely<Database>) {
  async function find(orderApiKey: string): Promise<Authorization | null> {
    const found = await db
      .selectFrom('authorizations')
      .select(row)
      .where('order_api_key', '=', orderApiKey)
      .executeTakeFirst()
    return found ? toAuthorization(found) : null
  }

  return {
    find,

    /** "I am about to ask": makes the row, or gives the one that is there already. */
    async send(orderApiKey: string, hold: { amount: Cents; token: string }): Promise<Authorization> {
      const made = await db
        .insertInto('authorizations')
        .values({ order_api_key: orderApiKey, state: 'sent', ...hold })
        .onConflict((conflict) => conflict.column('order_api_key').doNothing())
        .returning(row)
        .executeTakeFirst()
      return made ? toAuthorization(made) : existing(await find(orderApiKey), orderApiKey)
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
    async move({ orderApiKey, state }: Authorization, change: Change): Promise<Authorization> {
      const moved = await db
        .updateTable('authorizations')
        .set({ ...toColumns(change), unknown_since: null, updated_at: sql`now()` })
        .where('order_api_key', '=', orderApiKey)
        .where('state', '=', state)
        .returning(row)
        .executeTakeFirst()
      return moved ? toAuthorization(moved) : existing(await find(orderApiKey), orderApiKey)
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

const toColumns = (change: Change) =>
  change.state === 'declined'
    ? { state: change.state, refusal_code: change.refusal.code, decline_code: change.refusal.declineCode }
    : { state: change.state, processor_id: change.processorId }

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
