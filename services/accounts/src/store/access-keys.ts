import { Caller } from '@platter/contracts'
import { newApiKey, type Db } from '@platter/kit'
import { sql } from 'kysely'
import { modeOf } from '#/domain/key-mode.ts'
import { createdEpoch } from '#/store/tables.ts'

/** An access key, stored as a hash. The prefix identifies it to operators. */
export type StoredKey = { id: string; hash: string; prefix: string; imported?: boolean }

export type Holder =
  | { kind: 'application'; applicationId: string }
  | { kind: 'restaurant'; restaurantApiKey: string }
  | { kind: 'operator' }

export type AccessKeyStore = ReturnType<typeof postgresAccessKeys>

export const isValid = sql`(revoked_at is null and (expires_at is null or expires_at > now()))`

const isUseOutdated = sql`(last_used_at is null or last_used_at < now() - interval '1 minute')`

/** The other columns are the members of a Caller. */
type Row = { id: string; prefix: string | null; isUseOutdated: boolean }

/** Operations for authentication and for issuing keys. */
export const postgresAccessKeys = (db: Db) => ({
  /** Returns undefined if the hash is already stored, which is possible only for imported keys. */
  async insert(key: StoredKey, holder: Holder): Promise<{ created: number } | undefined> {
    const { id, hash, prefix, imported = false } = key
    const applicationId = holder.kind === 'application' ? holder.applicationId : null
    const restaurantApiKey = holder.kind === 'restaurant' ? holder.restaurantApiKey : null
    const { rows } = await sql<{ created: number }>`
      insert into access_keys (id, hash, prefix, imported, kind, application_id, restaurant_api_key)
      values (${id}, ${hash}, ${prefix}, ${imported}, ${holder.kind}, ${applicationId}, ${restaurantApiKey})
      on conflict (hash) do nothing returning ${createdEpoch} as created`.execute(db)
    return rows[0]
  },

  /** Stores an operator's key unless its hash is already stored. A revoked key stays revoked. */
  async ensureOperatorKey(hash: string): Promise<void> {
    await sql`
      insert into access_keys (id, hash, kind) values (${newApiKey()}, ${hash}, 'operator')
      on conflict (hash) do nothing`.execute(db)
  },

  /**
   * Returns the principal of a valid key, and whether its use must be recorded. Undefined if the key is unknown, revoked or expired. A
   * key that replaced another key is the same caller (migrations/0030).
   */
  async find(hash: string) {
    const { rows } = await sql<Row>`
      select id, prefix, kind, application_id as "applicationId", restaurant_api_key as "restaurantApiKey",
        coalesce(lineage_id, id) as "accessKeyId", ${isUseOutdated} as "isUseOutdated"
      from access_keys where hash = ${hash} and ${isValid}`.execute(db)
    const [row] = rows
    if (!row) return undefined
    const { id, prefix, ...caller } = row
    const principal = Caller.parse({ ...caller, mode: modeOf(prefix) })
    return { id, principal, isUseOutdated: row.isUseOutdated }
  },

  /** Records a use, at most once per minute across all replicas. */
  async recordUse(id: string): Promise<void> {
    await sql`update access_keys set last_used_at = now() where id = ${id} and ${isUseOutdated}`.execute(db)
  },
})
