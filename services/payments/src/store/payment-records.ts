import { toMoney, type Cents, type PaymentRow, type PaymentStory } from '@platter/contracts'
import type { Db } from '@platter/kit'
import { epochOf, microsecondsOf } from '@platter/kit/postgres/epoch'
import { newestIncidents } from '@platter/kit/postgres/newest-incidents'
import { sql } from 'kysely'

const payment = sql`state, amount, processor_id as "processorId"`
const row = sql`order_api_key as "orderApiKey", ${payment}`

type Time = { from: number; to: number }

type StoredStory = Omit<PaymentStory, 'refunds' | 'disputes'>
type UnknownRow = { orderApiKey: string; at: number; count: number; what: string; reason: string }

export type PaymentRecordStore = ReturnType<typeof postgresPaymentRecords>

/** Reads of `authorizations` for operators and reconciliation. Only `references` returns tokens. */
export const postgresPaymentRecords = (db: Db) => ({
  story: (orderApiKey: string) => readStory(db, orderApiKey),
  /** Returns the rows of these orders, and those created from `from` to before `to` (epoch seconds). */
  async rows(orderApiKeys: readonly string[], { from, to }: Time): Promise<PaymentRow[]> {
    const { rows } = await sql<PaymentRow>`
      select ${row} from authorizations where order_api_key = any(${orderApiKeys})
      union select ${row} from authorizations
      where created_at >= to_timestamp(${from}) and created_at < to_timestamp(${to})`.execute(db)
    return rows
  },
  /** Returns the processor's reference of each order that was ever sent. The token must not leave this process. */
  async references(orderApiKeys: readonly string[]): Promise<{ reference: string; token: string }[]> {
    const { rows } = await sql<{ reference: string; token: string }>`
      select order_api_key as reference, token from authorizations
      where order_api_key = any(${orderApiKeys}) and token is not null`.execute(db)
    return rows
  },
  /** Returns the calls whose outcome has been unknown for at least this time, newest first. */
  async unknown(olderThanMs: number): Promise<UnknownRow[]> {
    const { rows } = await sql<UnknownRow>`
      select order_api_key as "orderApiKey", ${microsecondsOf('unknown_since')} as at,
        unknown_answers as count, coalesce(unknown_call, '') as what, coalesce(unknown_reason, '') as reason
      from authorizations where unknown_since <= now() - ${olderThanMs} * interval '1 millisecond'
      ${newestIncidents}`.execute(db)
    return rows
  },
})

/** Returns the story without refunds and disputes, which are separate rows; null if the order has no row. */
async function readStory(db: Db, orderApiKey: string): Promise<StoredStory | null> {
  const { rows } = await sql<StoredStory & { amount: Cents | null }>`
    select ${payment}, ${epochOf('release_requested_at')} as "releaseRequested", case when refusal_code is not null then
        jsonb_build_object('code', refusal_code, 'declineCode', coalesce(decline_code, refusal_code)) end as refusal,
      unknown_answers + (unknown_since is null and state <> 'released')::integer as attempts,
      case when unknown_since is not null then jsonb_build_object('call', coalesce(unknown_call, ''),
        'reason', coalesce(unknown_reason, ''), 'since', ${epochOf('unknown_since')}) end as unknown,
      ${epochOf('created_at')} as created, ${epochOf('updated_at')} as updated
    from authorizations where order_api_key = ${orderApiKey}`.execute(db)
  const [story] = rows
  return story ? { ...story, amount: story.amount === null ? null : toMoney(story.amount) } : null
}
