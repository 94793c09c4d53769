import { sql } from 'kysely'
import { inFlight, type IdempotencyScope } from '#/idempotency/scope.ts'
import type { Db } from '#/postgres/postgres.ts'

/* Reads and writes the table `idempotency_keys`. The migrations of each service with a POST operation create it. */

type StoredResponse = { fingerprint: string; status: number; body: string }

/** Matches the row of a key. */
export const hasKey = ({ accessKeyId, path, key }: Omit<IdempotencyScope, 'fingerprint'>) =>
  sql`access_key_id = ${accessKeyId} and path = ${path} and key = ${key}`

/** Returns the stored response of a key; undefined for a new key, or while its first request is running. */
export async function findResponse(db: Db, scope: IdempotencyScope): Promise<StoredResponse | undefined> {
  const { rows } = await sql<StoredResponse>`
    select fingerprint, status, body from idempotency_keys
    where ${hasKey(scope)} and status is not null and body is not null`.execute(db)
  return rows[0]
}

/** SQLSTATE of a lock_timeout. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Claims a key for this transaction. Returns false if another request has used the key. Waits up to a second for a running request
 * with the same key, then throws Problem idempotency-in-flight.
 */
export async function claimKey(trx: Db, scope: IdempotencyScope): Promise<boolean> {
  const { accessKeyId, path, key, fingerprint } = scope
  await sql`set local lock_timeout = '1s'`.execute(trx)
  try {
    const { numAffectedRows } = await sql`
      insert into idempotency_keys (access_key_id, path, key, fingerprint)
      values (${accessKeyId}, ${path}, ${key}, ${fingerprint})
      on conflict (access_key_id, path, key) do nothing`.execute(trx)
    // The work of the request has the default lock timeout.
    await sql`set local lock_timeout to default`.execute(trx)
    return numAffectedRows === 1n
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === LOCK_NOT_AVAILABLE ? inFlight() : error
  }
}

/** Stores the response under the key that this transaction claimed. */
export async function storeResponse(trx: Db, scope: IdempotencyScope, body: string): Promise<void> {
  await sql`update idempotency_keys set status = 200, body = ${body} where ${hasKey(scope)}`.execute(trx)
}

const DELETED_AT_ONCE = 1_000

/** Deletes keys that are older than seven days (docs/interface.md). Returns true if more may remain. */
export async function deleteExpiredKeys(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < now() - interval '7 days' limit ${DELETED_AT_ONCE}))`.execute(
    db,
  )
  return numAffectedRows === BigInt(DELETED_AT_ONCE)
}
