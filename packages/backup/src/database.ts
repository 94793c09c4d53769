import pg from 'pg'
import { reasonOf } from '#/reason.ts'

/**
 * A backup only reads. If the host of PostgreSQL vanishes, TCP ends the connection after this time and ten probes, one per second.
 * Without probes the backup would wait forever, and no later daily backup would run.
 */
const KEEP_ALIVE_AFTER_MS = 10_000

/** Opens one connection. Closing the connection rolls back an open transaction. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: 'platter backup',
  })
  // A broken connection also rejects the awaited query. Without a listener, the event `error` would end the process.
  client.on('error', () => undefined)
  await client.connect().catch((cause: unknown) => {
    throw new Error(`PostgreSQL does not accept the connection: ${reasonOf(cause)}`, { cause })
  })
  return client
}

/** Returns the rows of a query. */
export async function rowsOf<R extends object>(
  client: pg.Client,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  return (await client.query<R>(text, values)).rows
}

/** Returns a name as an SQL identifier. */
export const identifier = (name: string): string => pg.escapeIdentifier(name)
/** Returns a text as an SQL literal. */
export const literal = (text: string): string => pg.escapeLiteral(text)

/**
 * Returns the schemas of the services: the schemas with a migrations table. A role of the same name owns each schema, and a second
 * role serves the requests of clients (decision 0020).
 */
export async function findSchemas(client: pg.Client): Promise<string[]> {
  const rows = await rowsOf<{ name: string }>(
    client,
    `select n.nspname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relname = 'kysely_migration' and n.nspname <> 'public' order by 1`,
  )
  return rows.map(({ name }) => name)
}
