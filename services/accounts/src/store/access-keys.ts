import { Caller } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import { sql } from 'kysely'
import { modeOf } from '#/domain/key-mode.ts'
import { createdEpoch, type Db } from '#/store/tables.ts'

/** An access key, stored as a hash. The prefix identifies it to operators. */
export type StoredKey = { id: string; hash: string; prefix: string; imported?: boolean }

export type Holder =
  | { kind: 'application'; applicationId: string }
  | { kind: 'restaurant'; restaurantApiKey: string }
  | { kind: 'operator' }

export type AccessKeyStore = ReturnType<typeof postgresAccessKeys>

export const isValid = sql<boolean>`(revoked_at is null and (expires_at is null or expires_at > now()))`

const isUseOutdated = sql<boolean>`(last_used_at is null or last_used_at < now() - interval '1 minute')`

/** Operations for authentication and for issuing keys. */
export const postgresAccessKeys = (db: Db) => ({
  /** Returns undefined if the hash is already stored, which is possible only for imported keys. */
  insert: ({ imported = false, ...key }: StoredKey, holder: Holder) =>
    db
      .insertInto('access_keys')
      .values({
        ...key,
        imported,
        kind: holder.kind,
        application_id: holder.kind === 'application' ? holder.applicationId : null,
        restaurant_api_key: holder.kind === 'restaurant' ? holder.restaurantApiKey : null,
      })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .returning(createdEpoch.as('created'))
      .executeTakeFirst(),

  /** Stores an operator's key unless its hash is already stored. A revoked key stays revoked. */
  async ensureOperatorKey(hash: string): Promise<void> {
    await db
      .insertInto('access_keys')
      .values({ id: newApiKey(), hash, kind: 'operator' })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute()
  },

  find: (hash: string) => find(db, hash),

  /** Records a use, at most once per minute across all replicas. */
  async recordUse(id: string): Promise<void> {
    await db
      .updateTable('access_keys')
      .set({ last_used_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where(isUseOutdated)
      .execute()
  },
})

/** Returns the principal of a valid key, and whether its use must be recorded. Undefined if the key is unknown, revoked or expired. */
async function find(db: Db, hash: string) {
  const row = await db
    .selectFrom('access_keys')
    .select(['id', 'prefix', 'kind', 'application_id', 'restaurant_api_key', 'lineage_id'])
    .select(isUseOutdated.as('isUseOutdated'))
    .where('hash', '=', hash)
    .where(isValid)
    .executeTakeFirst()
  if (!row) return undefined
  const { id, kind, application_id: applicationId, restaurant_api_key: restaurantApiKey } = row
  // A key that replaced another key is the same caller (migrations/0030).
  const accessKeyId = row.lineage_id ?? id
  const mode = modeOf(row.prefix)
  const principal = Caller.parse({ kind, applicationId, restaurantApiKey, accessKeyId, mode })
  return { id, principal, isUseOutdated: row.isUseOutdated }
}
