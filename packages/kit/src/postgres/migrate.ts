import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
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

/**
 * Returns the migrations that a later version has applied. Migrations only add, so this version works with their schema. Without
 * them, Kysely reports a missing migration, and no replica of this version would start after a rollback or during a rolling
 * upgrade.
 */
async function ofLaterVersions(db: Db, own: Iterable<string>): Promise<Record<string, Migration>> {
  const newest = [...own].toSorted().at(-1) ?? ''
  const { rows: tables } = await sql<{ found: boolean }>`
    select to_regclass('kysely_migration') is not null as found`.execute(db)
  if (!tables[0]?.found) return {}
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const later = rows.filter(({ name }) => name > newest)
  return Object.fromEntries(later.map(({ name }) => [name, { up: async () => undefined }]))
}

/**
 * Applies the new `.sql` files of the directory in order of their numbers, in one transaction. An advisory lock allows any number
 * of replicas to start together. Ignores migrations of later versions. Throws on the first failure and applies nothing.
 */
export async function migrate(db: Db, directory: string, log: Log): Promise<void> {
  const own = await readMigrations(directory)
  // Read before Kysely acquires a connection, which may be the last one of the pool. If a later version migrates in between, Kysely
  // fails and the caller retries.
  const later = await ofLaterVersions(db, Object.keys(own))
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...own, ...later }) },
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error instanceof Error ? error : new Error('the migration failed', { cause: error })
  for (const { migrationName } of results ?? []) log.info({ migration: migrationName }, 'migrated')
}
