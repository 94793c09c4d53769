import { batched, isSameRequest, type IdempotencyScope } from '@platter/kit'
import { sql } from 'kysely'
import type { Db } from '#/store/tables.ts'

/*
 * Keys of send-order, each with its order: committed when the order is accepted, answered when it is decided, possibly by
 * another replica. Every other POST keeps its key and its answer in one transaction (`idempotent` of the kit).
 */

/** A key that was used before. */
export type Used =
  | { kind: 'mismatch' }
  /** It has its final answer. */
  | { kind: 'kept'; status: number; body: string }
  /** Another request waits for the order at this moment. */
  | { kind: 'running' }
  /** Nobody waits for the order any more: the caller does, from now on. */
  | { kind: 'resumed'; orderApiKey: string }

type Row = {
  fingerprint: string
  order_api_key: string
  status: number | null
  body: string | null
  taken: boolean
}

/** What is known of a key, null for a new one. One whose first request is gone is taken over, for `busyMs`. */
export async function use(db: Db, scope: IdempotencyScope, busyMs: number): Promise<Used | null> {
  const { accessKeyId, path, key, fingerprint, otherFingerprint = fingerprint } = scope
  const { rows } = await sql<Row>`
    with taken as (
      update idempotency_keys set busy_until = now() + ${busyMs} * interval '1 millisecond'
      where access_key_id = ${accessKeyId} and path = ${path} and key = ${key}
        and fingerprint in (${fingerprint}, ${otherFingerprint}) and status is null and busy_until <= now()
      returning order_api_key)
    select fingerprint, order_api_key, status, body, exists (select from taken) as taken from idempotency_keys
    where access_key_id = ${accessKeyId} and path = ${path} and key = ${key}`.execute(db)
  const [row] = rows
  if (!row) return null
  if (!isSameRequest(row.fingerprint, scope)) return { kind: 'mismatch' }
  if (row.status !== null && row.body !== null) return { kind: 'kept', status: row.status, body: row.body }
  return row.taken ? { kind: 'resumed', orderApiKey: row.order_api_key } : { kind: 'running' }
}

/**
 * A key and the order that it was used for. Who waited for an order may say late what became of it: the key,
 * forgotten meanwhile, may be that of the next order by then, and is left alone.
 */
export type UsedFor = IdempotencyScope & { orderApiKey: string }

type Answer = { status: number; body: string }

/** Keeps the first final answer, to be given again byte for byte. Answers that come at the same time share the statement. */
export const keep = (db: Db, used: UsedFor, answer: Answer): Promise<void> => kept(db, { ...used, ...answer })

const kept = batched({
  keyOf: ({ orderApiKey }: UsedFor & Answer) => orderApiKey,
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

/** The request stops waiting without a final answer: a retry may go on. */
export async function letGo(db: Db, used: UsedFor): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ busy_until: sql<Date>`now()` })
    .where((row) => row.and(keyOfOrder(used)))
    .execute()
}

/** The order came to nothing through no fault of the request: a retry is a new order. */
export async function forget(db: Db, used: UsedFor): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where((row) => row.and(keyOfOrder(used)))
    .execute()
}

/** What became of the request with this key: its order, and its final answer if it has one. */
export async function find(db: Db, scope: Omit<IdempotencyScope, 'fingerprint'>) {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['order_api_key', 'status', 'body'])
    .where((key) => key.and(primaryKey(scope)))
    .executeTakeFirst()
  return row?.order_api_key ? { orderApiKey: row.order_api_key, status: row.status, body: row.body } : null
}

const primaryKey = ({ accessKeyId, path, key }: Omit<IdempotencyScope, 'fingerprint'>) => ({
  access_key_id: accessKeyId,
  path,
  key,
})

const keyOfOrder = (used: UsedFor) => ({ ...primaryKey(used), order_api_key: used.orderApiKey })

/** Whether an error says that another request with the same key was accepted first. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error && (error as Error & { constraint?: string }).constraint === 'idempotency_keys_pkey'
