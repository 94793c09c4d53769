import { cents, MOST_INCIDENTS, toMoney, type PaymentRow, type PaymentStory } from '@platter/contracts'
import { sql, type Kysely } from 'kysely'
import type { Database } from '#/store/authorizations.ts'

const epoch = <N extends number | null = number>(column: string) =>
  // eslint-disable-next-line no-restricted-properties -- callers name columns of this schema
  sql<N>`floor(extract(epoch from ${sql.ref(column)}))::int8`

const row = ['order_api_key as orderApiKey', 'state', 'amount', 'processor_id as processorId'] as const

type Time = { from: number; to: number }

type StoredStory = Omit<PaymentStory, 'refunds' | 'disputes'>

export type PaymentRecordStore = ReturnType<typeof postgresPaymentRecords>

/** Reads of `authorizations` for operators and reconciliation. Only `references` returns tokens. */
export const postgresPaymentRecords = (db: Kysely<Database>) => ({
  story: (orderApiKey: string) => readStory(db, orderApiKey),
  /** Returns the rows of these orders, and those created from `from` to before `to` (epoch seconds). */
  async rows(orderApiKeys: readonly string[], { from, to }: Time): Promise<PaymentRow[]> {
    const createdThen = db
      .selectFrom('authorizations')
      .select(row)
      .where('created_at', '>=', sql<Date>`to_timestamp(${from})`)
      .where('created_at', '<', sql<Date>`to_timestamp(${to})`)
    const found = await db
      .selectFrom('authorizations')
      .select(row)
      .where('order_api_key', '=', sql<string>`any(${orderApiKeys})`)
      .union(createdThen)
      .execute()
    return found as PaymentRow[]
  },
  /** Returns the processor's reference of each order that was ever sent. The token must not leave this process. */
  references: (orderApiKeys: readonly string[]) =>
    db
      .selectFrom('authorizations')
      .select(['order_api_key as reference', 'token'])
      .where('order_api_key', '=', sql<string>`any(${orderApiKeys})`)
      .where('token', 'is not', null)
      .$narrowType<{ token: string }>()
      .execute(),
  unknown: (olderThanMs: number) => readUnknown(db, olderThanMs),
})

/** Returns the story without refunds and disputes, which are separate rows; null if the order has no row. */
async function readStory(db: Kysely<Database>, orderApiKey: string): Promise<StoredStory | null> {
  const found = await db
    .selectFrom('authorizations')
    .select([...row, 'refusal_code', 'decline_code', 'unknown_call', 'unknown_reason', 'unknown_answers'])
    .select([
      epoch<number | null>('release_requested_at').as('releaseRequested'),
      epoch<number | null>('unknown_since').as('unknownSince'),
      epoch('created_at').as('created'),
      epoch('updated_at').as('updated'),
    ])
    .where('order_api_key', '=', orderApiKey)
    .executeTakeFirst()
  if (!found) return null
  const { state, amount, processorId, releaseRequested, created, updated, unknownSince: since } = found
  const { refusal_code: code, unknown_call: call, unknown_answers: unknownResults } = found
  return {
    state,
    amount: amount === null ? null : toMoney(cents(amount)),
    processorId,
    releaseRequested,
    refusal: code === null ? null : { code, declineCode: found.decline_code ?? code },
    attempts: unknownResults + (since === null && state !== 'released' ? 1 : 0),
    unknown: since === null ? null : { call: call ?? '', reason: found.unknown_reason ?? '', since },
    created,
    updated,
  }
}

/** Returns the calls whose outcome has been unknown for at least this time, newest first. */
function readUnknown(db: Kysely<Database>, olderThanMs: number) {
  const at = sql<number>`(extract(epoch from unknown_since) * 1000000)::int8`
  return db
    .selectFrom('authorizations')
    .select(['order_api_key as orderApiKey', at.as('at'), 'unknown_answers as count'])
    .select([
      sql<string>`coalesce(unknown_call, '')`.as('what'),
      sql<string>`coalesce(unknown_reason, '')`.as('reason'),
    ])
    .where('unknown_since', '<=', sql<Date>`now() - ${olderThanMs} * interval '1 millisecond'`)
    .orderBy(at, 'desc')
    .limit(MOST_INCIDENTS)
    .execute()
}
