import type { AccessKey } from '@platter/contracts'
import { sql, type RawBuilder } from 'kysely'
import { isGood, type KeptKey } from '#/store/access-keys.ts'
import {
  after,
  createdEpoch,
  createdMicroseconds,
  epochOf,
  type Db,
  type Position,
  type Trx,
} from '#/store/tables.ts'

/** What operators do with the access keys that were issued; none of it ever has a key. */

const record = [
  'id',
  'kind',
  'prefix',
  'imported',
  createdEpoch.as('created'),
  epochOf<number | null>('last_used_at').as('lastUsed'),
  epochOf<number | null>('expires_at').as('expires'),
  epochOf<number | null>('revoked_at').as('revoked'),
] as const

/** Whose keys. */
export type Holder =
  | { kind: 'application'; applicationId: string }
  | { kind: 'restaurant'; restaurantApiKey: string }
  | { kind: 'operator' }

/** The kinds are words of the text, as in the indexes of keys of a kind: a plan for all values knows no parameter's. */
function heldBy(holder: Holder): RawBuilder<boolean> {
  switch (holder.kind) {
    case 'application':
      return sql`kind = 'application' and application_id = ${holder.applicationId}`
    case 'restaurant':
      return sql`kind = 'restaurant' and restaurant_api_key = ${holder.restaurantApiKey}`
    case 'operator':
      return sql`kind = 'operator'`
  }
}

/** Newest first. `before` is where the page before ended. */
export function listKeys(
  db: Db,
  holder: Holder,
  { before, limit }: { before: Position | null; limit: number },
): Promise<(AccessKey & { at: number })[]> {
  return db
    .selectFrom('access_keys')
    .select([...record, createdMicroseconds.as('at')])
    .where(heldBy(holder))
    .where(after(before))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Two that change operator keys at once come one after the other: each sees what the other has left. */
const OPERATOR_KEYS = 7_400_030

async function lock(trx: Trx, id: string) {
  const row = await trx
    .selectFrom('access_keys')
    .select([
      'id',
      'kind',
      'prefix',
      'application_id',
      'restaurant_api_key',
      'lineage_id',
      isGood.as('isGood'),
    ])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** Ends a key now; one that was revoked stays as it is. `last`: no other operator key without an end would remain. */
export async function revokeKey(
  trx: Trx,
  id: string,
): Promise<{ kind: 'revoked'; key: AccessKey } | { kind: 'unknown' } | { kind: 'last' }> {
  await sql`select pg_advisory_xact_lock(${OPERATOR_KEYS})`.execute(trx)
  const row = await lock(trx, id)
  if (!row) return { kind: 'unknown' }
  if (row.kind === 'operator' && row.isGood && !(await isAnotherOperatorKey(trx, id))) return { kind: 'last' }
  const key = await trx
    .updateTable('access_keys')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('id', '=', id)
    .returning(record)
    .executeTakeFirstOrThrow()
  return { kind: 'revoked', key }
}

async function isAnotherOperatorKey(trx: Trx, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('access_keys')
    .select('id')
    .where('kind', '=', 'operator')
    .where('id', '!=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The key that is to be replaced, locked; null when there is none. */
export const lockForRotation = lock

/** Stores the key that replaces another one, and sets the other one's end, unless that comes earlier anyway. */
export async function replaceKey(
  trx: Trx,
  old: NonNullable<Awaited<ReturnType<typeof lock>>>,
  { key, overlapMinutes }: { key: KeptKey; overlapMinutes: number },
): Promise<{ created: number; replaces: AccessKey }> {
  const { id, kind, application_id, restaurant_api_key } = old
  const { created } = await trx
    .insertInto('access_keys')
    .values({ ...key, kind, application_id, restaurant_api_key, lineage_id: old.lineage_id ?? id })
    .returning(createdEpoch.as('created'))
    .executeTakeFirstOrThrow()
  const replaces = await trx
    .updateTable('access_keys')
    .set({
      expires_at: sql<Date>`least(coalesce(expires_at, 'infinity'), now() + make_interval(mins => ${overlapMinutes}))`,
    })
    .where('id', '=', id)
    .returning(record)
    .executeTakeFirstOrThrow()
  return { created, replaces }
}
