import { batched, isSameRequest, type Db, type IdempotencyScope } from '@platter/kit'
import { hasKey } from '@platter/kit/idempotency/key-store'
import { sql } from 'kysely'
import { PostgresStore } from '#/store/postgres-store.ts'

/** A key that was used before. */
export type UsedKey =
  | { kind: 'mismatch' }
  /** The key has its final response. */
  | { kind: 'completed'; status: number; body: string }
  /** Another request waits for the order. */
  | { kind: 'in-flight' }
  /** The claim of the earlier request had expired. The caller has the claim now, and waits for the order. */
  | { kind: 'resumed'; orderApiKey: string }

type Row = {
  fingerprint: string
  /** Null for a refused request. */
  order_api_key: string | null
  status: number | null
  body: string | null
  claimed: boolean
}

/** A key of an order. A late change does not apply if the key was deleted and now belongs to another order. */
export type OrderKey = IdempotencyScope & { orderApiKey: string }

type Response = { status: number; body: string }
/** `status`, `body`: null without a final response. */
type FoundKey = { orderApiKey: string; status: number | null; body: string | null }

const completeTogether = batched({
  keyOf: ({ orderApiKey }: OrderKey & Response) => orderApiKey,
  run: async (db: Db, all): Promise<void[]> => {
    await sql`
      update idempotency_keys as used set status = given.status, body = given.body
      from jsonb_to_recordset(${JSON.stringify(all)}::jsonb) as given(
        "accessKeyId" text, path text, key text, "orderApiKey" text, status integer, body text)
      where used.access_key_id = "accessKeyId" and used.path = given.path and used.key = given.key
        and used.access_key_id = any(${all.map(({ accessKeyId }) => accessKeyId)})
        and used.path = any(${all.map(({ path }) => path)}) and used.key = any(${all.map(({ key }) => key)})
        and used.order_api_key = "orderApiKey" and used.status is null`.execute(db)
    return all.map(() => undefined)
  },
})

const isKeyOfOrder = (used: OrderKey) => sql`${hasKey(used)} and order_api_key = ${used.orderApiKey}`

/** Returns whether a commit failed because another request with the same key placed its order first. */
export const isKeyConflict = (error: unknown): boolean =>
  error instanceof Error && (error as Error & { constraint?: string }).constraint === 'idempotency_keys_pkey'

/**
 * Idempotency keys of send-order, each with its order. A key is committed with the order, and completed with the result of
 * the order, possibly by another replica. A refused request has a row without an order. Every other POST stores its key and its
 * response in one transaction (`idempotent` in the kit).
 */
export class PostgresIdempotencyKeys extends PostgresStore {
  /**
   * Returns the state of a used key, and claims it for `claimMs` if the claim of the earlier request has expired. Null for the key of
   * a refused request, and for a new key, which commit 1 claims (`PostgresSagas.place`).
   */
  async reclaim(scope: IdempotencyScope, claimMs: number): Promise<UsedKey | null> {
    const { fingerprint, otherFingerprint = fingerprint } = scope
    const { rows } = await sql<Row>`
    with claimed as (
      update idempotency_keys set busy_until = now() + ${claimMs} * interval '1 millisecond'
      where ${hasKey(scope)} and fingerprint in (${fingerprint}, ${otherFingerprint}) and status is null and busy_until <= now()
      returning order_api_key)
    select fingerprint, order_api_key, status, body, exists (select from claimed) as claimed from idempotency_keys
    where ${hasKey(scope)}`.execute(this.db)
    const [row] = rows
    if (!row) return null
    if (row.order_api_key === null) return await this.#deleteRefusal(scope)
    if (!isSameRequest(row.fingerprint, scope)) return { kind: 'mismatch' }
    if (row.status !== null && row.body !== null)
      return { kind: 'completed', status: row.status, body: row.body }
    return row.claimed ? { kind: 'resumed', orderApiKey: row.order_api_key } : { kind: 'in-flight' }
  }

  /**
   * Stores that a request with this key was refused, until the next request with the key. Meanwhile no concurrent request with the
   * key can place an order (`isKeyConflict`). Returns false, and stores nothing, if one placed its order before.
   */
  async markRefused({ accessKeyId, path, key, fingerprint }: IdempotencyScope): Promise<boolean> {
    const { numAffectedRows } = await sql`
      insert into idempotency_keys as used (access_key_id, path, key, fingerprint)
      values (${accessKeyId}, ${path}, ${key}, ${fingerprint})
      on conflict (access_key_id, path, key) do update set fingerprint = excluded.fingerprint
      where used.order_api_key is null`.execute(this.db)
    return numAffectedRows === 1n
  }

  /** A separate statement, because a write in `reclaim` would slow down every request with a new key. */
  async #deleteRefusal(scope: IdempotencyScope): Promise<null> {
    await sql`delete from idempotency_keys where ${hasKey(scope)} and order_api_key is null`.execute(this.db)
    return null
  }

  /** Stores the first final response, which is replayed byte for byte. Concurrent calls share the statement. */
  complete(used: OrderKey, response: Response): Promise<void> {
    return completeTogether(this.db, { ...used, ...response })
  }

  /** Releases the claim without a final response, so that a retry resumes. */
  async release(used: OrderKey): Promise<void> {
    await sql`update idempotency_keys set busy_until = now() where ${isKeyOfOrder(used)}`.execute(this.db)
  }

  /** Deletes the key of an order that failed without a fault of its client, so that a retry places a new order. */
  async delete(used: OrderKey): Promise<void> {
    await sql`delete from idempotency_keys where ${isKeyOfOrder(used)}`.execute(this.db)
  }

  /** Returns the order of the request with this key, and its final response if it has one. */
  async find(scope: Omit<IdempotencyScope, 'fingerprint'>): Promise<FoundKey | null> {
    const { rows } = await sql<FoundKey>`
    select order_api_key as "orderApiKey", status, body from idempotency_keys
    where ${hasKey(scope)} and order_api_key is not null`.execute(this.db)
    return rows[0] ?? null
  }
}
