import type { Cents } from '@platter/contracts'
import type { Db } from '@platter/kit'
import { epochOf, microsecondsOf } from '@platter/kit/postgres/epoch'
import { newestIncidents } from '@platter/kit/postgres/newest-incidents'
import { sql } from 'kysely'
import { refundedElsewhere, type ReadCharge } from '#/domain/charge-after-sale.ts'

type Mirror = Pick<ReadCharge, 'refunds' | 'disputes'> & { orderApiKey: string; processorId: string }

export type MirrorRow = Mirror & { version: number }

/** `respondBy`: the earliest deadline in epoch seconds; null if no response is possible. `at`: microseconds since 1970. */
type OpenDispute = {
  orderApiKey: string
  amount: Cents
  reason: string
  respondBy: number | null
  count: number
  at: number
}
/** `amount`: what the customer has not received. */
type MissingRefund = { orderApiKey: string; amount: Cents; at: number }

export type ChargeMirrorStore = ReturnType<typeof postgresChargeMirrors>

const columns = sql`order_api_key as "orderApiKey", processor_id as "processorId", version, refunds, disputes`

/** Whether orders has not confirmed the current version of a mirror. */
const isUnconfirmed = sql`confirmed_version < version`

/** The rows of `charge_mirrors`: the refunds and disputes of a charge, as the processor reports them. */
export const postgresChargeMirrors = (db: Db) => ({
  /** Returns the time of the database, in microseconds. */
  async now(): Promise<string> {
    const { rows } = await sql<{ now: string }>`select now()::text as now`.execute(db)
    return rows[0]?.now ?? ''
  },
  async find(orderApiKey: string): Promise<MirrorRow | null> {
    const { rows } = await sql<MirrorRow>`
      select ${columns} from charge_mirrors where order_api_key = ${orderApiKey}`.execute(db)
    return rows[0] ?? null
  },
  set: (mirror: Mirror, readAt: string) => setMirror(db, mirror, readAt),
  ...confirmations(db),
  /**
   * Returns the ids of charges with an open dispute or a pending refund, and of those that orders has not confirmed: a mirror of an
   * earlier version that orders cannot read is replaced. In random order, so that each of them has its turn.
   */
  async unfinished(limit: number): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select processor_id as id from charge_mirrors
      where ${isUnconfirmed} or disputes @> '[{"state": "open"}]' or refunds @> '[{"state": "pending"}]'
      order by random() limit ${limit}`.execute(db)
    return rows.map(({ id }) => id)
  },
  /** Returns the order of each charge with a refund or dispute, by the processor's id. */
  async ordersOf(processorIds: readonly string[]): Promise<Map<string, string>> {
    if (processorIds.length === 0) return new Map()
    const { rows } = await sql<{ id: string; orderApiKey: string }>`
      select processor_id as id, order_api_key as "orderApiKey" from charge_mirrors
      where processor_id = any(${processorIds})`.execute(db)
    return new Map(rows.map(({ id, orderApiKey }) => [id, orderApiKey]))
  },
  openDisputes: () => readOpenDisputes(db),
  missingRefunds: () => readMissingRefunds(db),
  ...comparisonLease(db),
})

const confirmations = (db: Db) => ({
  /** Returns mirrors that orders has not confirmed. In random order: one that it never confirms delays no other. */
  async unconfirmed(limit: number): Promise<MirrorRow[]> {
    const { rows } = await sql<MirrorRow>`
      select ${columns} from charge_mirrors where ${isUnconfirmed} order by random() limit ${limit}`.execute(
      db,
    )
    return rows
  },
  /** Records that orders has this version. */
  async confirm(orderApiKey: string, version: number): Promise<void> {
    await sql`
      update charge_mirrors set confirmed_version = ${version}::integer
      where order_api_key = ${orderApiKey} and confirmed_version < ${version}::integer`.execute(db)
  },
})

const comparisonLease = (db: Db) => ({
  /**
   * Acquires the lease of the comparison. Returns the end of the compared period and the current time in epoch seconds; null while
   * another replica has the lease.
   */
  async acquire(leaseMs: number): Promise<{ from: number; now: number } | null> {
    const { rows } = await sql<{ from: number; now: number }>`
      update mirror_position set lease_expires_at = now() + ${leaseMs} * interval '1 millisecond'
      where lease_expires_at <= now()
      returning ${epochOf('compared_until')} as "from", ${epochOf(sql`now()`)} as now`.execute(db)
    return rows[0] ?? null
  },
  async renew(leaseMs: number): Promise<void> {
    await sql`
      update mirror_position set lease_expires_at = now() + ${leaseMs} * interval '1 millisecond'`.execute(db)
  },
  /** Stores the new end of the compared period, and releases the lease. */
  async release(until: number): Promise<void> {
    await sql`
      update mirror_position set compared_until = to_timestamp(${until}), lease_expires_at = now()`.execute(
      db,
    )
  },
})

/**
 * Sets the state that was read after `readAt`, and the cents that the authorization counts as refunded elsewhere. A refunded
 * authorization is captured until `markWhollyRefunded`, because a refund may have failed after it was done. Returns the version; null
 * if nothing changed. One statement, so that of two concurrent writers the later read remains. It writes the cents even if they seem
 * unchanged: a condition on them would read the row as of the start of the statement, before it waited for the other writer.
 */
async function setMirror(db: Db, mirror: Mirror, readAt: string): Promise<number | null> {
  const { orderApiKey, processorId } = mirror
  const elsewhere = refundedElsewhere(mirror)
  const refunds = JSON.stringify(mirror.refunds)
  const disputes = JSON.stringify(mirror.disputes)
  const { rows } = await sql<{ version: number }>`
    with set_mirror as (
    insert into charge_mirrors (order_api_key, processor_id, refunds, disputes, read_at)
    values (${orderApiKey}, ${processorId}, ${refunds}::jsonb, ${disputes}::jsonb, ${readAt}::timestamptz)
    on conflict (order_api_key) do update set
      refunds = excluded.refunds, disputes = excluded.disputes, read_at = excluded.read_at,
      version = charge_mirrors.version + 1, updated_at = now()
    where charge_mirrors.read_at <= excluded.read_at
      and (charge_mirrors.refunds, charge_mirrors.disputes) is distinct from (excluded.refunds, excluded.disputes)
    returning order_api_key, version), counted as (
      update authorizations set refunded_elsewhere = least(amount, ${elsewhere}::integer), updated_at = now(),
        state = case when state = 'refunded' and release_requested_at is null then 'captured' else state end
      from set_mirror where authorizations.order_api_key = set_mirror.order_api_key)
    select version from set_mirror`.execute(db)
  return rows[0]?.version ?? null
}

/** Returns the orders with an open dispute, newest first. */
async function readOpenDisputes(db: Db): Promise<OpenDispute[]> {
  const { rows } = await sql<OpenDispute>`
    select order_api_key as "orderApiKey", sum((dispute->>'amount')::int4)::int4 as amount,
      min(dispute->>'reason') as reason, min((dispute->>'respondBy')::int8) as "respondBy",
      count(*)::int4 as count, min((dispute->>'at')::int8) * 1000000 as at
    from charge_mirrors, jsonb_array_elements(disputes) as dispute
    where disputes @> '[{"state": "open"}]' and dispute->>'state' = 'open'
    group by order_api_key ${newestIncidents}`.execute(db)
  return rows
}

/**
 * Returns the cancelled orders whose refund failed, or whose lost dispute left a part or was reversed, in the last 30 days, and that
 * have no other refund of the same amount. A release is never repeated, so the customer does not have this money.
 * The refund of a release is read after it, within 3 minutes: until then it would seem missing after a dispute that was won before it.
 */
async function readMissingRefunds(db: Db): Promise<MissingRefund[]> {
  const { rows } = await sql<MissingRefund>`
    select order_api_key as "orderApiKey", amount - refunded - refunded_elsewhere as amount,
      ${microsecondsOf('mirror.updated_at')} as at
    from charge_mirrors as mirror join authorizations using (order_api_key)
    where (refunds @> '[{"state": "failed"}]' or disputes @> '[{"state": "won"}]' or disputes @> '[{"state": "lost"}]')
      and mirror.updated_at > now() - interval '30 days'
      and authorizations.updated_at <= greatest(mirror.updated_at, now() - interval '5 minutes')
      and state = 'refunded' and release_requested_at is not null and refunded + refunded_elsewhere < amount
    ${newestIncidents}`.execute(db)
  return rows
}
