import { sql, type Kysely, type Transaction } from 'kysely'
import { inFlight, type IdempotencyScope } from '#/http/idempotency.ts'

/* The table `idempotency_keys`, as the migrations of each service that answers a POST make it. */

/** What is kept of a request: what it said, and what it was answered. */
type Kept = { fingerprint: string; status: number; body: string }

const isKey = ({ accessKeyId, path, key }: IdempotencyScope) =>
  sql`access_key_id = ${accessKeyId} and path = ${path} and key = ${key}`

/** What is kept under a key; undefined for one that is new, or whose request has not ended. */
export async function find<DB>(db: Kysely<DB>, scope: IdempotencyScope): Promise<Kept | undefined> {
  const { rows } = await sql<Kept>`
    select fingerprint, status, body from idempotency_keys
    where ${isKey(scope)} and status is not null and body is not null`.execute(db)
  return rows[0]
}

/** SQLSTATE of a wait that ended with lock_timeout. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Takes a key for this transaction; false when another request has had it. One that has it at this moment is
 * waited for, until it ends or for a second: Problem idempotency-in-flight then.
 */
export async function claim<DB>(trx: Transaction<DB>, scope: IdempotencyScope): Promise<boolean> {
  const { accessKeyId, path, key, fingerprint } = scope
  await sql`set local lock_timeout = '1s'`.execute(trx)
  try {
    const { numAffectedRows } = await sql`
      insert into idempotency_keys (access_key_id, path, key, fingerprint)
      values (${accessKeyId}, ${path}, ${key}, ${fingerprint})
      on conflict (access_key_id, path, key) do nothing`.execute(trx)
    // What the request is for may wait for its rows as long as without a key.
    await sql`set local lock_timeout to default`.execute(trx)
    return numAffectedRows === 1n
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === LOCK_NOT_AVAILABLE ? inFlight() : error
  }
}

/** Keeps the answer under a key that this transaction has taken. */
export async function keep<DB>(trx: Transaction<DB>, scope: IdempotencyScope, body: string): Promise<void> {
  await sql`update idempotency_keys set status = 200, body = ${body} where ${isKey(scope)}`.execute(trx)
}

const FORGET_AT_ONCE = 1_000

/** Forgets keys older than seven days (docs/interface.md). True when there may be more. */
export async function forgetOld<DB>(db: Kysely<DB>): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < now() - interval '7 days' limit ${FORGET_AT_ONCE}))`.execute(
    db,
  )
  return numAffectedRows === BigInt(FORGET_AT_ONCE)
}
