import { finished } from 'node:stream/promises'
import type { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { readArchive, UnreadableArchive, type DecryptionKey } from '#/archive.ts'
import { afterSql } from '#/after.ts'
import { connect, findSchemas, identifier, rowsOf } from '#/database.ts'
import { End, Manifest } from '#/manifest.ts'
import { columnList, countRows, findTables, tableName, tableOf } from '#/tables.ts'
import type { TarEntry } from '#/tar.ts'

/** The content of an archive, without its rows. */
export type Contents = { manifest: Manifest; rows: readonly number[]; files: readonly TarEntry[] }

/** Reads a whole archive. Throws UnreadableArchive if a part or a row is missing. */
export async function inspectArchive(file: string, key: DecryptionKey): Promise<Contents> {
  let manifest: Manifest | null = null
  let end: number[] | null = null
  const rows: number[] = []
  const files: TarEntry[] = []
  for await (const { name, content } of readArchive(file, key)) {
    const at = tableOf(name)
    if (at !== null) rows[at] = (rows[at] ?? 0) + countRows(content)
    if (name === 'manifest.json') manifest = Manifest.parse(JSON.parse(content.toString()))
    if (name === 'end.json') end = End.parse(JSON.parse(content.toString())).rows
    if (name.startsWith('files/'))
      files.push({ name: name.slice('files/'.length), content: Buffer.from(content) })
  }
  if (!manifest || !end || end.some((expected, at) => (rows[at] ?? 0) !== expected))
    throw new UnreadableArchive(`${file} is not a complete archive of Platter.`)
  return { manifest, rows: end, files }
}

/** The database is not in a state for a restore. */
export class RestoreRefused extends Error {}

/** An order whose saga was unfinished at the snapshot, or which its restaurant had not accepted. */
type OpenOrder = { orderApiKey: string; number: number; restaurantApiKey: string; card: boolean }

export type Restored = Contents & { openOrders: OpenOrder[] }

/**
 * Restores the archive in one transaction: a failure leaves the database unchanged. Throws RestoreRefused while services are
 * connected, and for a database with rows unless `force` is set. `force` deletes the rows.
 */
export async function restoreArchive(
  file: string,
  key: DecryptionKey,
  { databaseUrl, force = false }: { databaseUrl: string; force?: boolean },
): Promise<Restored> {
  const contents = await inspectArchive(file, key)
  const client = await connect(databaseUrl)
  try {
    await client.query('begin')
    await client.query(
      `set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0; set local lock_timeout = '10s'`,
    )
    await clear(client, contents.manifest, force)
    // The rows come from one snapshot and are consistent, so triggers and foreign key checks are switched off.
    await client.query('set local session_replication_role = replica')
    for await (const entry of readArchive(file, key)) await apply(client, contents.manifest, entry)
    const openOrders = await findOpenOrders(client, schemasOf(contents.manifest))
    await client.query('commit')
    await client.query('analyze')
    return { ...contents, openOrders }
  } finally {
    await client.end()
  }
}

const schemasOf = ({ tables }: Manifest): string[] => [...new Set(tables.map(({ schema }) => schema))]

const STEPS = new Set(['roles.sql', 'schema.sql', 'after.sql'])

async function apply(client: Client, { tables }: Manifest, { name, content }: TarEntry): Promise<void> {
  if (STEPS.has(name)) await client.query(content.toString())
  const table = tables[tableOf(name) ?? -1]
  if (!table) return
  const stream = client.query(copyFrom(`copy ${tableName(table)} (${columnList(table)}) from stdin`))
  stream.end(content)
  await finished(stream)
}

async function clear(client: Client, manifest: Manifest, force: boolean): Promise<void> {
  const schemas = schemasOf(manifest)
  await refuseConnected(client, schemas)
  const existing = await findTables(client, schemas)
  for (const table of force ? [] : existing) {
    const isMigration = table.name.startsWith('kysely_')
    const [found] = isMigration ? [] : await rowsOf(client, `select from ${tableName(table)} limit 1`)
    if (found)
      throw new RestoreRefused(
        `The database is not empty: ${table.schema}.${table.name} has rows. --force deletes all of Platter's rows first.`,
      )
  }
  for (const schema of schemas) await client.query(`drop schema if exists ${identifier(schema)} cascade`)
}

async function refuseConnected(client: Client, schemas: readonly string[]): Promise<void> {
  const users = await rowsOf<{ name: string }>(
    client,
    `select distinct usename as name from pg_stat_activity
     where datname = current_database() and usename = any($1) order by 1`,
    [schemas],
  )
  if (users.length > 0)
    throw new RestoreRefused(
      `Services are connected: ${users.map(({ name }) => name).join(', ')}. Stop them first.`,
    )
}

/** These orders end soon after the services start. An operator may want to call their restaurants. */
async function findOpenOrders(client: Client, schemas: readonly string[]): Promise<OpenOrder[]> {
  if (!schemas.includes('orders')) return []
  return rowsOf<OpenOrder>(
    client,
    `select o.api_key as "orderApiKey", o.id::int as number, o.restaurant_api_key as "restaurantApiKey",
       s.facts ->> 'token' is not null as card
     from orders.sagas s join orders.orders o on o.api_key = s.order_api_key
     where s.finished_at is null or (o.is_open and o.status = 'AWAITING_PREPARATION') order by o.id`,
  )
}

/**
 * Completes a point-in-time recovery of PostgreSQL as a restore does: advances the sequences and marks unfinished payments for a
 * lookup. Throws RestoreRefused while services are connected.
 */
export async function completeRecovery(databaseUrl: string): Promise<OpenOrder[]> {
  const client = await connect(databaseUrl)
  try {
    const schemas = await findSchemas(client)
    await refuseConnected(client, schemas)
    await client.query(await afterSql(client, schemas))
    return await findOpenOrders(client, schemas)
  } finally {
    await client.end()
  }
}
