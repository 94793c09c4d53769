import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import { identifier, rowsOf } from '#/database.ts'
import { findTables, tableName } from '#/tables.ts'

/** The folder with the migrations of a service, by the name of its schema. */
export type MigrationFolder = (schema: string) => string

/** The repository's own. */
export const ownMigrations: MigrationFolder = (schema) =>
  join(import.meta.dirname, '../../../services', schema, 'migrations')

/** The tables of kysely, as it creates them before the first migration. */
const KYSELY = `create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);
create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer not null default 0);`

/**
 * Returns SQL that builds the tables without rows: the applied migrations in their order, as the owner of the schema. Throws when
 * this version lacks one of them, because a later version has applied it.
 */
export async function schemaSql(
  client: Client,
  schemas: readonly string[],
  folderOf: MigrationFolder,
): Promise<string> {
  const parts: string[] = []
  for (const schema of schemas) {
    const name = identifier(schema)
    parts.push(`set role ${name};\nset search_path = ${name};\n${KYSELY}`)
    const applied = await rowsOf<{ name: string }>(
      client,
      `select name from ${name}.kysely_migration order by name`,
    )
    for (const migration of applied) parts.push(await readMigration(folderOf(schema), migration.name))
    parts.push('reset role;\nreset search_path;\n')
  }
  // Migrations insert rows too. The archive has them as they are now, and both would be duplicates.
  const tables = (await findTables(client, schemas)).map(tableName)
  if (tables.length > 0) parts.push(`truncate ${tables.join(', ')};`)
  return parts.join('\n')
}

async function readMigration(folder: string, name: string): Promise<string> {
  try {
    return `-- ${name}\n${await readFile(join(folder, `${name}.sql`), 'utf8')}`
  } catch (cause) {
    throw new Error(`This version does not have the migration ${name}: back up with the version that runs.`, {
      cause,
    })
  }
}
