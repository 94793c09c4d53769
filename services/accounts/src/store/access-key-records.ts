import type { AccessKey } from '@platter/contracts'
import { sql, type RawBuilder } from 'kysely'
import { isValid, type Holder, type StoredKey } from '#/store/access-keys.ts'
import { after, createdEpoch, createdMicroseconds, epochOf, type Db, type Range } from '#/store/tables.ts'

/** The key that a rotation replaces. */
type ReplacedKey = NonNullable<Awaited<ReturnType<typeof lock>>>

type Revocation = { kind: 'revoked'; key: AccessKey } | { kind: 'unknown' } | { kind: 'last' }

export type AccessKeyRecordStore = ReturnType<typeof postgresAccessKeyRecords>

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

/** The kinds are literals, as in the partial indexes: a generic plan uses a partial index only for constants. */
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

/** The advisory lock that serializes revocations. Of two concurrent revocations, the second sees the result of the first. */
const REVOCATIONS = 7_400_030

/** Operations of operators on access keys. No result contains an access key. */
export const postgresAccessKeyRecords = (db: Db) => ({
  /** Newest first. */
  list: (holder: Holder, { before, limit }: Range): Promise<(AccessKey & { at: number })[]> =>
    db
      .selectFrom('access_keys')
      .select([...record, createdMicroseconds.as('at')])
      .where(heldBy(holder))
      .where(after(before))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  /**
   * Revokes a key now; an already revoked key keeps its time. `last`: no other operator key without an expiry would remain. In the
   * caller's transaction.
   */
  async revoke(id: string): Promise<Revocation> {
    await sql`select pg_advisory_xact_lock(${REVOCATIONS})`.execute(db)
    const row = await lock(db, id)
    if (!row) return { kind: 'unknown' }
    if (row.kind === 'operator' && row.isValid && !(await isAnotherOperatorKey(db, id)))
      return { kind: 'last' }
    const key = await db
      .updateTable('access_keys')
      .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
      .where('id', '=', id)
      .returning(record)
      .executeTakeFirstOrThrow()
    return { kind: 'revoked', key }
  },

  lock: (id: string) => lock(db, id),

  /**
   * Stores the replacement of a key. The old key expires after the overlap, or earlier if it already had an end. In the same
   * transaction.
   */
  async replace(
    old: ReplacedKey,
    { key, overlapMinutes }: { key: StoredKey; overlapMinutes: number },
  ): Promise<{ created: number; replaces: AccessKey }> {
    const { id, kind, application_id, restaurant_api_key, lineage_id } = old
    const { created } = await db
      .insertInto('access_keys')
      .values({ ...key, kind, application_id, restaurant_api_key, lineage_id: lineage_id ?? id })
      .returning(createdEpoch.as('created'))
      .executeTakeFirstOrThrow()
    const replaces = await db
      .updateTable('access_keys')
      .set({
        expires_at: sql<Date>`least(coalesce(expires_at, 'infinity'), now() + make_interval(mins => ${overlapMinutes}))`,
      })
      .where('id', '=', id)
      .returning(record)
      .executeTakeFirstOrThrow()
    return { created, replaces }
  },
})

/** Locks the key to replace; null if it does not exist. In the caller's transaction. */
async function lock(db: Db, id: string) {
  const row = await db
    .selectFrom('access_keys')
    .select([
      'id',
      'kind',
      'prefix',
      'application_id',
      'restaurant_api_key',
      'lineage_id',
      isValid.as('isValid'),
    ])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

async function isAnotherOperatorKey(db: Db, id: string): Promise<boolean> {
  const row = await db
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
