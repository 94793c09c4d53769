import type { Client } from 'pg'
import { afterSql } from '#/after.ts'
import { connect, findSchemas, rowsOf } from '#/database.ts'
import type { Manifest } from '#/manifest.ts'
import { rolesSql } from '#/roles.ts'
import { ownMigrations, schemaSql, type MigrationFolder } from '#/schema.ts'
import { columnList, countRows, findTables, readRows, tableName } from '#/tables.ts'
import type { TarEntry } from '#/tar.ts'

/** The source of a backup. */
export type Source = {
  /** The URL of a superuser, who can read all schemas and the password hashes of the roles. */
  databaseUrl: string
  /** Files of the installation outside the database, for example its secrets. */
  files: readonly TarEntry[]
  migrations?: MigrationFolder
}

/**
 * Yields the files of an archive. One transaction reads all schemas from one snapshot, so orders and payments are consistent. The
 * transaction is assigned no transaction id, so it delays neither event streams nor writers.
 */
export async function* readSnapshot(source: Source): AsyncGenerator<TarEntry> {
  const client = await connect(source.databaseUrl)
  try {
    await client.query('begin isolation level repeatable read read only')
    // The archive may be written slowly. Both settings end with the transaction.
    await client.query('set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0')
    yield* filesOf(client, source)
  } finally {
    await client.end()
  }
}

async function* filesOf(
  client: Client,
  { files, migrations = ownMigrations }: Source,
): AsyncGenerator<TarEntry> {
  const schemas = await findSchemas(client)
  if (schemas.length === 0) throw new Error('This database has no schema of Platter.')
  const [now] = await rowsOf<{ at: string; server: string }>(
    client,
    `select extract(epoch from now())::text as at, current_setting('server_version') as server`,
  )
  const tables = await findTables(client, schemas)
  const manifest: Manifest = { format: 1, at: Number(now?.at), server: now?.server ?? '', tables }
  yield text('manifest.json', `${JSON.stringify(manifest, null, 2)}\n`)
  yield text('roles.sql', await rolesSql(client, schemas))
  yield text('schema.sql', await schemaSql(client, schemas, migrations))
  const rows: number[] = []
  const copies: string[] = []
  for (const [at, table] of tables.entries()) {
    rows[at] = 0
    for await (const part of readRows(client, table, at)) {
      rows[at] += countRows(part.content)
      copies.push(`\\copy ${tableName(table)} (${columnList(table)}) from '${part.name}'`)
      yield part
    }
  }
  yield text('after.sql', await afterSql(client, schemas))
  yield text('restore.psql', restoreSql(copies))
  for (const { name, content } of files) yield { name: `files/${name}`, content }
  yield text('end.json', `${JSON.stringify({ rows })}\n`)
}

/** Returns a script for psql that restores the archive without Platter (docs/backups.md). */
const restoreSql = (copies: readonly string[]): string =>
  [
    '\\set ON_ERROR_STOP on',
    'begin;',
    'set local session_replication_role = replica;',
    '\\i roles.sql',
    '\\i schema.sql',
    ...copies,
    '\\i after.sql',
    'commit;',
    '',
  ].join('\n')

const text = (name: string, content: string): TarEntry => ({ name, content: Buffer.from(content) })
