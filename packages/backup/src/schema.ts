import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import { identifier, rowsOf } from '#/database.ts'
import { findTables, tableName } from '#/tables.ts'

/** Returns the migrations folder of a service from the name of its schema. */
export type MigrationFolder = (schema: string) => string

/** The migrations folders of this repository. */
export const ownMigrations: MigrationFolder = (schema) =>
  join(import.meta.dirname, '../../../services', schema, 'migrations')

/** The tables that Kysely creates before the first migration. */
const KYSELY = `create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);
create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer not null default 0);`

/**
 * Returns SQL that builds the tables without rows: the applied migrations in their order, run by the owner of the schema. Throws if
 * a later version has applied a migration that this version does not have.
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
  // Migrations also insert rows. The archive contains the current version of these rows, so both would be duplicates.
  const tables = (await findTables(client, schemas)).map(tableName)
  if (tables.length > 0) parts.push(`truncate ${tables.join(', ')};`)
  return parts.join('\n')
}

async function readMigration(folder: string, name: string): Promise<string> {
  try {
    return `-- ${name}\n${await readFile(join(folder, `${name}.sql`), 'utf8')}`
  } catch (cause) {
    throw new Error(
      `A newer version has applied the migration ${name}, which this version does not have. No archive was written. Back up with the newer version: docs/operations.md, "Roll back".`,
      { cause },
    )
  }
}
