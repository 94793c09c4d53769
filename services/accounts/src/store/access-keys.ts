import { Principal } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import { sql } from 'kysely'
import { modeOf } from '#/domain/key-mode.ts'
import { createdEpoch, type Db } from '#/store/tables.ts'

/** Neither revoked nor expired. */
export const isGood = sql<boolean>`(revoked_at is null and (expires_at is null or expires_at > now()))`

/** What is kept of an access key. */
export type KeptKey = { id: string; hash: string; prefix: string }

/**
 * Stores an application's key; undefined when there is no such application. Undefined as well when the
 * hash is stored already, which only an imported key's can be.
 */
export const insertApplicationKey = (
  db: Db,
  { id, hash, prefix, imported = false }: KeptKey & { imported?: boolean },
  applicationId: string,
) =>
  db
    .insertInto('access_keys')
    .columns(['id', 'hash', 'prefix', 'imported', 'kind', 'application_id'])
    .expression((eb) =>
      eb
        .selectFrom('applications')
        .select([
          eb.val(id).as('id'),
          eb.val(hash).as('hash'),
          eb.val(prefix).as('prefix'),
          eb.val(imported).as('imported'),
          eb.val('application' as const).as('kind'),
          'applications.id as application_id',
        ])
        .where('applications.id', '=', applicationId),
    )
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning(createdEpoch.as('created'))
    .executeTakeFirst()

export const insertRestaurantKey = (db: Db, key: KeptKey, restaurantApiKey: string) =>
  db
    .insertInto('access_keys')
    .values({ ...key, kind: 'restaurant', restaurant_api_key: restaurantApiKey })
    .returning(createdEpoch.as('created'))
    .executeTakeFirstOrThrow()

export const insertOperatorKey = (db: Db, key: KeptKey) =>
  db
    .insertInto('access_keys')
    .values({ ...key, kind: 'operator' })
    .returning(createdEpoch.as('created'))
    .executeTakeFirstOrThrow()

/** An operator's key with this hash, unless there is one: one that was revoked stays revoked. */
export async function ensureOperatorKey(db: Db, hash: string): Promise<void> {
  await db
    .insertInto('access_keys')
    .values({ id: newApiKey(), hash, kind: 'operator' })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute()
}

const longUnused = sql<boolean>`(last_used_at is null or last_used_at < now() - interval '1 minute')`

/**
 * Whom a key belongs to (a key that replaced another one counts as the same, see the migration), and whether its use should be noted;
 * undefined when it is unknown, revoked or expired.
 */
export async function findKey(db: Db, hash: string) {
  const row = await db
    .selectFrom('access_keys')
    .select(['id', 'prefix', 'kind', 'application_id', 'restaurant_api_key', 'lineage_id'])
    .select(longUnused.as('longUnused'))
    .where('hash', '=', hash)
    .where(isGood)
    .executeTakeFirst()
  if (!row) return undefined
  const { id, kind, application_id: applicationId, restaurant_api_key: restaurantApiKey } = row
  const accessKeyId = row.lineage_id ?? id
  return {
    id,
    principal: Principal.parse({
      kind,
      applicationId,
      restaurantApiKey,
      accessKeyId,
      mode: modeOf(row.prefix),
    }),
    longUnused: row.longUnused,
  }
}

/** Notes that the key was used: once a minute at most, however many replicas want to. */
export async function markUsed(db: Db, id: string): Promise<void> {
  await db
    .updateTable('access_keys')
    .set({ last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where(longUnused)
    .execute()
}

/** A word of the text: a plan for all values takes a parameter for true as often as for false. */
const goodImports = (db: Db) =>
  db
    .selectFrom('access_keys')
    .where(sql<boolean>`imported`)
    .where(isGood)

/** Changes whenever another key is imported, or one of them ends. */
export async function importsVersion(db: Db): Promise<string> {
  const { version } = await goodImports(db)
    .select(sql<string>`count(*) || ' ' || coalesce(max(created_at), 'epoch')`.as('version'))
    .executeTakeFirstOrThrow()
  return version
}

export async function importedHashes(db: Db): Promise<string[]> {
  const rows = await goodImports(db).select('hash').execute()
  return rows.map(({ hash }) => hash)
}

export const hasApplication = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('applications').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
