import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import type { Log } from './log.ts'

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
        { up: async (db: Kysely<unknown>) => void (await sql.raw(statements).execute(db)) },
      ]
    }),
  )
}

/**
 * Applies the `.sql` files of the directory that were not applied yet, in order of their numbers, all in
 * one transaction under an advisory lock: any number of replicas may start at once. Throws on the first
 * failure, with nothing applied.
 */
export async function migrate<DB>(db: Kysely<DB>, directory: string, log: Log): Promise<void> {
  const migrator = new Migrator({
    db: db as Kysely<unknown>,
    provider: { getMigrations: () => readMigrations(directory) },
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error instanceof Error ? error : new Error('the migration failed', { cause: error })
  for (const { migrationName } of results ?? []) log.info({ migration: migrationName }, 'migrated')
}
