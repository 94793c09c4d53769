import { settingsFor } from '@platter/kit/postgres/role-settings'
import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** The result of `prepareDatabase`. */
export type PreparedDatabase = {
  /** One URL per service, with its role and password. */
  readonly urls: Readonly<Record<string, string>>
  /** False if all schemas existed, so that they may contain rows of an earlier run. */
  readonly fresh: boolean
}

/**
 * The limits of each role. A migration that needs a longer one uses `set local`. A statement may last longer than a standstill of the
 * machine of 3 s, and shorter than the 5 s for which the pool waits.
 */
const roleSettings = {
  statement_timeout: '4s',
  lock_timeout: '1s',
  idle_in_transaction_session_timeout: '5s',
} as const

/** The services with `joins: 'by key'` in their wire.ts. */
const joinedByKey: ReadonlySet<string> = new Set(['orders', 'payments'])

/**
 * The settings that a service checks when it starts. The search path is the schema. By default it would be that of the role for
 * client requests.
 */
const sessionSettings = (service: string) => ({
  search_path: service,
  ...settingsFor(joinedByKey.has(service) ? 'by key' : 'any'),
})

/**
 * Creates a login role and a schema of the same name for each service, or updates the existing ones. The role owns its schema, has
 * it as its search path, and has no other rights. For client requests the service switches to a second role without login. A
 * service without a given password receives a random one.
 */
export async function prepareDatabase(
  superuserUrl: string,
  services: readonly string[],
  given: Readonly<Record<string, string>> = {},
): Promise<PreparedDatabase> {
  const urls: Record<string, string> = {}
  const fresh = await inTransaction(superuserUrl, async (client) => {
    // Serializes two launchers on one server, because `create role` has no "if not exists".
    await client.query("select pg_advisory_xact_lock(hashtext('platter: roles and schemas'))")
    const { rows } = await client.query<{ database: string }>('select current_database() as database')
    const database = client.escapeIdentifier(rows[0]?.database ?? '')
    await client.query(
      `revoke all on database ${database} from public; revoke all on schema public from public`,
    )
    const made: boolean[] = []
    for (const service of services) {
      const password = given[service] ?? randomBytes(18).toString('base64url')
      urls[service] = withCredentials(superuserUrl, service, password)
      await makeRole(client, service, password)
      made.push(await makeSchema(client, service))
      await makeClientRole(client, service)
      await client.query(`grant connect on database ${database} to ${client.escapeIdentifier(service)}`)
    }
    return made.includes(true)
  })
  return { urls, fresh }
}

/** Creates a database on the same server, for a run that must not share rows with another run. */
export async function createDatabase(superuserUrl: string, name: string): Promise<string> {
  await withClient(superuserUrl, (client) => client.query(`create database ${client.escapeIdentifier(name)}`))
  const url = new URL(superuserUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Drops a database, and ends its sessions. */
export async function dropDatabase(superuserUrl: string, name: string): Promise<void> {
  await withClient(superuserUrl, (client) =>
    client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`),
  )
}

/** True when the server has a database of this name. */
export async function hasDatabase(superuserUrl: string, name: string): Promise<boolean> {
  const find = (client: pg.Client) => client.query('select from pg_database where datname = $1', [name])
  return (await withClient(superuserUrl, find)).rowCount === 1
}

async function makeRole(client: pg.Client, name: string, password: string): Promise<void> {
  const role = client.escapeIdentifier(name)
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name])
  const verb = rowCount === 0 ? 'create' : 'alter'
  const rights = 'login nosuperuser nocreatedb nocreaterole'
  await client.query(`${verb} role ${role} with ${rights} password ${client.escapeLiteral(password)}`)
  for (const [setting, value] of Object.entries({ ...roleSettings, ...sessionSettings(name) })) {
    await client.query(`alter role ${role} set ${setting} = ${client.escapeLiteral(value)}`)
  }
}

async function makeSchema(client: pg.Client, name: string): Promise<boolean> {
  const schema = client.escapeIdentifier(name)
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [name])
  if (rowCount === 0) await client.query(`create schema ${schema} authorization ${schema}`)
  await client.query(`revoke all on schema ${schema} from public`)
  return rowCount === 0
}

/**
 * Creates the role of a service for client requests (packages/kit/src/postgres/tenant-scope.ts). It owns no table, so row-level
 * security applies to it. Without a policy, it finds no rows of a table.
 */
async function makeClientRole(client: pg.Client, name: string): Promise<void> {
  const [service, schema] = [client.escapeIdentifier(name), client.escapeIdentifier(name)]
  const role = client.escapeIdentifier(`${name}_client`)
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [`${name}_client`])
  const verb = rowCount === 0 ? 'create' : 'alter'
  const rights = 'select, insert, update, delete'
  await client.query(`
    ${verb} role ${role} with nologin nosuperuser nocreatedb nocreaterole;
    grant ${role} to ${service};
    grant usage on schema ${schema} to ${role};
    grant ${rights} on all tables in schema ${schema} to ${role};
    alter default privileges for role ${service} in schema ${schema} grant ${rights} on tables to ${role}`)
}

function withCredentials(superuserUrl: string, user: string, password: string): string {
  const url = new URL(superuserUrl)
  url.username = user
  url.password = password
  return url.href
}

function inTransaction<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient(url, async (client) => {
    await client.query('begin')
    const value = await work(client)
    await client.query('commit')
    return value
  })
}

/**
 * Runs `work` with one connection. Closing the connection rolls back an open transaction. Waits at most 10 s for the connection.
 */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // A broken connection also rejects the awaited promise. Without a listener, this event would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
