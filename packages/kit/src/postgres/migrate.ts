import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import type { Db } from '#/postgres/postgres.ts'
import type { Log } from '#/telemetry/log.ts'

const NAME = /^\d{4}_[a-z0-9_]+\.sql$/

async function readMigrations(directory: string): Promise<Record<string, Migration>> {
  const names = (await readdir(directory)).toSorted()
  const invalid = names.filter((name) => !NAME.test(name))
  if (invalid.length > 0)
    throw new Error(`invalid names of migrations (expected 0001_verb_noun.sql): ${invalid.join(', ')}`)
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))
  return Object.fromEntries(
    names.map((name, index) => {
      const statements = texts[index] ?? ''
      return [
        name.replace(/\.sql$/, ''),
        // eslint-disable-next-line no-restricted-properties -- a whole file of this repository
        { up: async (db: Db) => void (await sql.raw(statements).execute(db)) },
      ]
    }),
  )
}

/** Returns the names of the applied migrations in their order. */
async function findApplied(db: Db): Promise<readonly string[]> {
  const { rows: tables } = await sql<{ found: boolean }>`
    select to_regclass('kysely_migration') is not null as found`.execute(db)
  if (!tables[0]?.found) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name).toSorted()
}

/**
 * Applies the new `.sql` files of the directory in order of their numbers, in one transaction. An advisory lock allows any number
 * of replicas to start together. Ignores migrations of later versions: migrations only add, so this version works with their
 * schema. Throws on the first failure and applies nothing.
 */
export async function migrate(db: Db, directory: string, log: Log): Promise<void> {
  const own = await readMigrations(directory)
  const names = Object.keys(own)
  const newest = names.at(-1) ?? ''
  // Read before Kysely acquires a connection, which may be the last one of the pool. If a later version migrates in between, Kysely
  // fails and the caller retries.
  const applied = await findApplied(db)
  const later = applied.filter((name) => name > newest)
  // Kysely would read the columns of all tables several times, and wait for replicas that migrate another schema.
  if (isDeepStrictEqual([...names, ...later], applied)) return
  // Without the later ones, Kysely would report missing migrations: no replica of this version would start after a rollback or
  // during a rolling upgrade.
  const ofLaterVersions = Object.fromEntries(later.map((name) => [name, { up: async () => undefined }]))
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...own, ...ofLaterVersions }) },
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error instanceof Error ? error : new Error('the migration failed', { cause: error })
  for (const { migrationName } of results ?? []) log.info({ migration: migrationName }, 'migrated')
}
