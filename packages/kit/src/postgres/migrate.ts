import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import type { Log } from '#/telemetry/log.ts'

const NAME = /^\d{4}_[a-z0-9_]+\.sql$/

async function readMigrations(directory: string): Promise<Record<string, Migration>> {
  const names = (await readdir(directory)).toSorted()
  const strange = names.filter((name) => !NAME.test(name))
  if (strange.length > 0)
    throw new Error(`not a migration's name (0001_verb_noun.sql): ${strange.join(', ')}`)
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))
  return Object.fromEntries(
    names.map((name, index) => {
      const statements = texts[index] ?? ''
      return [
        name.replace(/\.sql$/, ''),
        // eslint-disable-next-line no-restricted-properties -- a file of ours, whole
        { up: async (db: Kysely<unknown>) => void (await sql.raw(statements).execute(db)) },
      ]
    }),
  )
}

/**
 * What a later version has applied already. Migrations only add, so this version works on what they have made, as
 * its replicas do that were running then; to kysely they would be missing, and a roll-back or a restart in the
 * middle of a roll-out would not start.
 */
async function ofLaterVersions(
  db: Kysely<unknown>,
  own: Iterable<string>,
): Promise<Record<string, Migration>> {
  const newest = [...own].toSorted().at(-1) ?? ''
  const { rows: tables } = await sql<{ found: boolean }>`
    select to_regclass('kysely_migration') is not null as found`.execute(db)
  if (!tables[0]?.found) return {}
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const later = rows.filter(({ name }) => name > newest)
  return Object.fromEntries(later.map(({ name }) => [name, { up: async () => undefined }]))
}

/**
 * Applies the `.sql` files of the directory that were not applied yet, in order of their numbers, all in
 * one transaction under an advisory lock: any number of replicas may start at once. Those of later versions are left
 * alone. Throws on the first failure, with nothing applied.
 */
export async function migrate<DB>(db: Kysely<DB>, directory: string, log: Log): Promise<void> {
  const own = await readMigrations(directory)
  // Before kysely takes its connection, which may be the last one. A later version that migrates in between is an
  // error, and the caller tries again.
  const later = await ofLaterVersions(db as Kysely<unknown>, Object.keys(own))
  const migrator = new Migrator({
    db: db as Kysely<unknown>,
    provider: { getMigrations: async () => ({ ...own, ...later }) },
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error instanceof Error ? error : new Error('the migration failed', { cause: error })
  for (const { migrationName } of results ?? []) log.info({ migration: migrationName }, 'migrated')
}
