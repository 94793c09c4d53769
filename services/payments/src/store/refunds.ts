import type { Cents } from '@platter/contracts'
import type { Db } from '@platter/kit'
import { sql } from 'kysely'
import type { RefundRow } from '#/domain/refund.ts'

type NewRefund = { apiKey: string; orderApiKey: string; amount: Cents }

export type RefundStore = ReturnType<typeof postgresRefunds>

const columns = sql`refunds.api_key as "apiKey", refunds.order_api_key as "orderApiKey", refunds.amount, refunds.state,
  refunds.processor_id as "processorId", refunds.failure_code as "failureCode",
  extract(epoch from now() - refunds.created_at)::int8 as "ageSeconds"`

/**
 * Locks the authorizations before their refunds, as `reserve` does. In the other order, a failure and a repeated command of one
 * refund wait for each other: deadlock.
 */
const lockedCharges = (apiKeys: readonly string[]) => sql`
  locked as materialized (
    select order_api_key from authorizations
    where order_api_key in (select order_api_key from refunds where api_key = any(${apiKeys}))
    order by order_api_key for update)`

const UNIQUE_VIOLATION = '23505'

async function find(db: Db, apiKey: string): Promise<RefundRow | null> {
  const { rows } = await sql<RefundRow>`select ${columns} from refunds where api_key = ${apiKey}`.execute(db)
  return rows[0] ?? null
}

/**
 * Inserts the row as `sent` and reserves its amount. The row is inserted as `failed` if the amount exceeds the remaining captured
 * amount, or if a release is requested. For a repeated command it returns the existing row. Committed before the processor is called.
 */
async function reserve(db: Db, { apiKey, orderApiKey, amount }: NewRefund): Promise<RefundRow> {
  // A refusal is stored as a row too: a late copy of the command must not refund an amount that orders shows as failed.
  const { rows } = await sql<RefundRow>`
    with reserved as (
      update authorizations set refunded = refunded + ${amount}::integer, updated_at = now()
      where order_api_key = ${orderApiKey} and state = 'captured' and release_requested_at is null
        and refunded + refunded_elsewhere + ${amount}::integer <= amount
      returning order_api_key)
    insert into refunds (api_key, order_api_key, amount, state, failure_code)
    select ${apiKey}, ${orderApiKey}, ${amount}::integer,
      case when exists (select from reserved) then 'sent' else 'failed' end,
      case when exists (select from reserved) then null else 'too_large' end
    returning ${columns}`
    .execute(db)
    .catch((error: unknown) => {
      // Another replica has inserted it in the meantime. Nothing was reserved twice, because the whole statement failed.
      if ((error as NodeJS.ErrnoException).code === UNIQUE_VIOLATION) return { rows: [] }
      throw error
    })
  return rows[0] ?? requireRefund(await find(db, apiKey), apiKey)
}

/**
 * Sets the authorization to `refunded` if the whole amount is returned, even if the response to its capture was lost. A release ends
 * after any lost dispute too, because the processor refuses further refunds. Without a release, a charge stays captured, as at the
 * processor, while refunds have not returned all of it: a dispute is not a refund, and a pending refund may fail.
 */
async function markWhollyRefunded(db: Db, orderApiKey: string): Promise<void> {
  // Materialized, so that it is found by its order. PostgreSQL would read the whole index of lost disputes. Locked, because a wait for
  // the authorization would not read the mirror again: a refund that fails meanwhile would count as done.
  await sql`
    with mirror as materialized (
      select disputes @> '[{"state": "lost"}]' as lost, (
        select sum((refund ->> 'amount')::integer) from jsonb_array_elements(refunds) as refund
        where refund -> 'key' = 'null' and refund ->> 'state' = 'done') as done
      from charge_mirrors where order_api_key = ${orderApiKey} for share)
    update authorizations set state = 'refunded', unknown_since = null, updated_at = now()
    where order_api_key = ${orderApiKey} and state in ('authorized', 'captured')
      and not exists (select from refunds where order_api_key = ${orderApiKey} and state = 'sent')
      and case when release_requested_at is null
        then refunded + coalesce((select done from mirror), 0) >= amount
        else refunded + refunded_elsewhere >= amount or exists (select from mirror where lost) end`.execute(
    db,
  )
}

/** The rows of `refunds`. Each method is one statement, and so one transaction. */
export const postgresRefunds = (db: Db) => ({
  find: (apiKey: string) => find(db, apiKey),
  /** Returns those of the `apiKey`s that have a row. */
  async known(apiKeys: readonly string[]): Promise<ReadonlySet<string>> {
    if (apiKeys.length === 0) return new Set()
    const { rows } = await sql<{ apiKey: string }>`
      select api_key as "apiKey" from refunds where api_key = any(${apiKeys})`.execute(db)
    return new Set(rows.map(({ apiKey }) => apiKey))
  },
  /** Returns the refunds of an order with an unknown outcome. */
  async sent(orderApiKey: string): Promise<RefundRow[]> {
    const { rows } = await sql<RefundRow>`
      select ${columns} from refunds where order_api_key = ${orderApiKey} and state = 'sent'`.execute(db)
    return rows
  },
  reserve: (refund: NewRefund) => reserve(db, refund),
  /** Marks a sent refund as pending at the processor, or as done. Another replica may have set another state before. */
  async mark(apiKey: string, state: 'pending' | 'done', processorId: string): Promise<void> {
    await sql`update refunds set state = ${state === 'done' ? 'done' : 'sent'}, processor_id = ${processorId},
      updated_at = now() where api_key = ${apiKey} and state = 'sent'`.execute(db)
  },
  /** Marks a refund as failed. Its amount may be refunded again. */
  async markFailed(apiKey: string, code: string): Promise<void> {
    await sql`
      with ${lockedCharges([apiKey])}, failed as (
        update refunds set state = 'failed', failure_code = ${code}, updated_at = now()
        from locked where api_key = ${apiKey} and state = 'sent' and locked.order_api_key = refunds.order_api_key
        returning refunds.order_api_key, refunds.amount)
      update authorizations set refunded = refunded - failed.amount, updated_at = now()
      from failed where authorizations.order_api_key = failed.order_api_key`.execute(db)
  },
  /** Marks refunds as failed, even if they were done: the processor has reported their failure later. */
  async markReturned(apiKeys: readonly string[]): Promise<void> {
    if (apiKeys.length === 0) return
    // A release has refunded the rest of the charge, so its authorization stays `refunded`.
    await sql`
      with ${lockedCharges(apiKeys)}, failed as (
        update refunds set state = 'failed', failure_code = 'refund_failed', updated_at = now()
        from locked where api_key = any(${apiKeys}) and state <> 'failed'
          and locked.order_api_key = refunds.order_api_key
        returning refunds.order_api_key, refunds.amount),
      freed as (select order_api_key, sum(amount)::integer as amount from failed group by order_api_key)
      update authorizations set refunded = refunded - freed.amount, updated_at = now(),
        state = case when state = 'refunded' and release_requested_at is null then 'captured' else state end
      from freed where authorizations.order_api_key = freed.order_api_key`.execute(db)
  },
  markWhollyRefunded: (orderApiKey: string) => markWhollyRefunded(db, orderApiKey),
})

function requireRefund(found: RefundRow | null, apiKey: string): RefundRow {
  if (!found) throw new Error(`the refund ${apiKey} was deleted; rows are never deleted`)
  return found
}
