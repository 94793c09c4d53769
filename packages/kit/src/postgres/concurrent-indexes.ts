import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requestTimes } from '@platter/contracts'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '#/postgres/postgres.ts'
import type { Log } from '#/telemetry/log.ts'

/*
 * Indexes of large tables. A migration runs in a transaction before the service is ready. Its `create index` would block all writes
 * while it reads the table, or end at the statement timeout of 4 s. These indexes are built while the service runs. A build reads the
 * table twice: it takes 18 to 70 s with 4 million orders. Their state is in the catalog of PostgreSQL: an index is missing, invalid
 * or valid. So any replica repeats an interrupted build at the next start.
 */

/** An index and its statement. Each file contains one statement and has the name of its index. */
export type ConcurrentIndex = { name: string; statement: string }

const FILE = /^([a-z][a-z0-9_]*)\.sql$/

/** Reads the index files. Throws for a file that is not one `create index concurrently` statement with the file's name. */
export async function readIndexes(directory: string): Promise<ConcurrentIndex[]> {
  const files = (await readdir(directory)).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const name = FILE.exec(file)?.[1] ?? ''
      const text = await readFile(join(directory, file), 'utf8')
      const statement = text.replaceAll(/^--.*$/gm, '').trim()
      if (!new RegExp(`^create index concurrently ${name} on [^;]+$`).test(statement))
        throw new Error(`${file} is not one statement "create index concurrently ${name || 'NAME'} on …"`)
      return { name, statement }
    }),
  )
}

/** Returns the names of the indexes that are missing or invalid. */
export async function missingIndexes(
  db: Db,
  indexes: readonly Pick<ConcurrentIndex, 'name'>[],
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${indexes.map(({ name }) => name)}::text[]) as name
    where not exists (select from pg_index where indexrelid = to_regclass(name) and indisvalid)`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * A build waits for older transactions to end, such as a backup, which may take minutes. It blocks no writes. After this time it
 * fails and is repeated, so that a forgotten transaction appears in the log.
 */
const LOCK_TIMEOUT = '30min'

/**
 * A build has no timeout and sends nothing while it waits. If the host of PostgreSQL vanishes, TCP ends the connection after this
 * time and ten probes, one per second. The default of Linux is two hours.
 */
const KEEP_ALIVE_AFTER_MS = 10_000

type Build = { url: string; indexes: readonly ConcurrentIndex[]; log: Log; signal: AbortSignal }

/**
 * Builds the missing indexes one after the other, on a separate connection, outside transactions. Returns false if another replica
 * is building. An abort closes the connection; PostgreSQL continues the current build and holds its lock until it ends.
 */
export async function buildIndexes({ url, indexes, log, signal }: Build): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    options: `-c search_path=${new URL(url).username},public -c statement_timeout=0 -c lock_timeout=${LOCK_TIMEOUT}`,
    connectionTimeoutMillis: requestTimes.connection,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  })
  client.on('error', () => undefined)
  const abort = () => void client.end()
  signal.addEventListener('abort', abort)
  try {
    await client.connect()
    return await buildAsOnlyOne(client, indexes, log)
  } catch (error) {
    if (isAborted(signal)) return false
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
    await client.end()
  }
}

const isAborted = ({ aborted }: AbortSignal): boolean => aborted

async function buildAsOnlyOne(
  client: pg.Client,
  indexes: readonly ConcurrentIndex[],
  log: Log,
): Promise<boolean> {
  // The advisory lock belongs to the session. A build that outlives its client keeps the lock, so no other replica drops the index
  // under construction.
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(hashtext('platter indexes ' || current_schema)) as locked`,
  )
  if (!rows[0]?.locked) return false
  for (const index of indexes) await build(client, index, log)
  return true
}

async function build(client: pg.Client, { name, statement }: ConcurrentIndex, log: Log): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [name],
  )
  if (rows[0]?.valid) return
  // An invalid index of an interrupted build. Every write maintains it, but no statement can use it.
  if (rows[0]) await client.query(`drop index concurrently ${name}`)
  log.info({ index: name }, rows[0] ? 'building an index again' : 'building an index')
  const began = performance.now()
  await client.query(statement)
  log.info({ index: name, ms: Math.round(performance.now() - began) }, 'built an index')
}
