import { inFlight, type IdempotencyScope } from '@platter/kit'
import { sql } from 'kysely'
import type { Db, Trx } from './tables.ts'

/** What is kept of a request: what it said, and what it was answered. */
export type Kept = { fingerprint: string; status: number; body: string }

/** What is kept under a key; undefined for one that is new, or whose request has not ended. */
export async function find(db: Db, scope: IdempotencyScope): Promise<Kept | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'body'])
    .where((key) => key.and(primaryKey(scope)))
    .executeTakeFirst()
  if (!row || row.status === null || row.body === null) return undefined
  return { fingerprint: row.fingerprint, status: row.status, body: row.body }
}

/** SQLSTATE of a wait that ended with lock_timeout. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Takes a key for this transaction; false when another request has had it. One that has it at this moment is
 * waited for, until it ends or for a second: Problem idempotency-in-flight then.
 */
export async function claim(trx: Trx, scope: IdempotencyScope): Promise<boolean> {
  await sql`set local lock_timeout = '1s'`.execute(trx)
  try {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('idempotency_keys')
      .values({ ...primaryKey(scope), fingerprint: scope.fingerprint })
      .onConflict((conflict) => conflict.columns(['access_key_id', 'path', 'key']).doNothing())
      .executeTakeFirst()
    // What the request is for may wait for its rows as long as without a key.
    await sql`set local lock_timeout to default`.execute(trx)
    return numInsertedOrUpdatedRows === 1n
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === LOCK_NOT_AVAILABLE ? inFlight() : error
  }
}

/** Keeps the answer under a key that this transaction has taken. */
export async function keep(
  trx: Trx,
  scope: IdempotencyScope,
  answer: { status: number; body: string },
): Promise<void> {
  await trx
    .updateTable('idempotency_keys')
    .set(answer)
    .where((key) => key.and(primaryKey(scope)))
    .execute()
}

const primaryKey = ({ accessKeyId, path, key }: IdempotencyScope) => ({
  access_key_id: accessKeyId,
  path,
  key,
})

const FORGET_AT_ONCE = 1_000

/** Forgets keys older than seven days (interface.md). True when there may be more. */
export async function forgetOld(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < now() - interval '7 days' limit ${FORGET_AT_ONCE}))`.execute(
    db,
  )
  return numAffectedRows === BigInt(FORGET_AT_ONCE)
}
