import type { AccessKey } from '@platter/contracts'
import type { Db } from '@platter/kit'
import { epochOf } from '@platter/kit/postgres/epoch'
import { sql, type RawBuilder } from 'kysely'
import { isValid, type Holder, type StoredKey } from '#/store/access-keys.ts'
import { after, createdEpoch, createdMicroseconds, only, type Range } from '#/store/tables.ts'

/** A locked key. */
type LockedKey = {
  id: string
  kind: Holder['kind']
  prefix: string | null
  application_id: string | null
  restaurant_api_key: string | null
  lineage_id: string | null
  isValid: boolean
}

type Revocation = { kind: 'revoked'; key: AccessKey } | { kind: 'unknown' } | { kind: 'last' }

export type AccessKeyRecordStore = ReturnType<typeof postgresAccessKeyRecords>

const record = sql`id, kind, prefix, imported, ${createdEpoch} as created, ${epochOf('last_used_at')} as "lastUsed",
  ${epochOf('expires_at')} as expires, ${epochOf('revoked_at')} as revoked`

/** The kinds are literals, as in the partial indexes: a generic plan uses a partial index only for constants. */
function heldBy(holder: Holder): RawBuilder<unknown> {
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
  async list(holder: Holder, { before, limit }: Range): Promise<(AccessKey & { at: number })[]> {
    const { rows } = await sql<AccessKey & { at: number }>`
      select ${record}, ${createdMicroseconds} as at from access_keys
      where ${heldBy(holder)} and ${after(before)} order by created_at desc, id desc limit ${limit}`.execute(
      db,
    )
    return rows
  },

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
    const { rows } = await sql<AccessKey>`
      update access_keys set revoked_at = coalesce(revoked_at, now()) where id = ${id} returning ${record}`.execute(
      db,
    )
    return { kind: 'revoked', key: only(rows) }
  },

  /** Locks the key to replace; null if it does not exist. In the caller's transaction. */
  lock: (id: string) => lock(db, id),

  /**
   * Stores the replacement of a key. The old key expires after the overlap, or earlier if it already had an end. In the same
   * transaction.
   */
  async replace(
    old: LockedKey,
    { key, overlapMinutes }: { key: StoredKey; overlapMinutes: number },
  ): Promise<{ created: number; replaces: AccessKey }> {
    const inserted = await sql<{ created: number }>`
      insert into access_keys (id, hash, prefix, kind, application_id, restaurant_api_key, lineage_id)
      values (${key.id}, ${key.hash}, ${key.prefix}, ${old.kind}, ${old.application_id}, ${old.restaurant_api_key},
        ${old.lineage_id ?? old.id})
      returning ${createdEpoch} as created`.execute(db)
    const replaced = await sql<AccessKey>`
      update access_keys set expires_at = least(coalesce(expires_at, 'infinity'), now() + make_interval(mins => ${overlapMinutes}))
      where id = ${old.id} returning ${record}`.execute(db)
    return { ...only(inserted.rows), replaces: only(replaced.rows) }
  },
})

async function lock(db: Db, id: string): Promise<LockedKey | null> {
  const { rows } = await sql<LockedKey>`
    select id, kind, prefix, application_id, restaurant_api_key, lineage_id, ${isValid} as "isValid"
    from access_keys where id = ${id} for update`.execute(db)
  return rows[0] ?? null
}

async function isAnotherOperatorKey(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    select id from access_keys
    where kind = 'operator' and id <> ${id} and revoked_at is null and expires_at is null limit 1`.execute(db)
  return rows.length > 0
}
