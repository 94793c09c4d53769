import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** What `prepareDatabase` has made. */
export interface PreparedDatabase {
  /** One URL per service, with the role and password of its own. */
  readonly urls: Readonly<Record<string, string>>
  readonly passwords: Readonly<Record<string, string>>
  /** False when every schema was there already, so that rows of an earlier run may be in them. */
  readonly fresh: boolean
}

/** Each role's own limits; a migration that needs longer says `set local`. */
const roleSettings = {
  statement_timeout: '3s',
  lock_timeout: '1s',
  idle_in_transaction_session_timeout: '5s',
} as const

/**
 * Makes a login role and a schema of the same name for each service, or brings those that are there in line:
 * the role owns its schema, finds it without naming it (the default search path begins with "$user"), and has
 * no rights elsewhere. What a service does on behalf of its clients it says in a further role, which nobody can sign in as.
 * A service without a given password gets a random one.
 */
export async function prepareDatabase(
  superuserUrl: string,
  services: readonly string[],
  given: Readonly<Record<string, string>> = {},
): Promise<PreparedDatabase> {
  const urls: Record<string, string> = {}
  const passwords: Record<string, string> = {}
  const fresh = await inTransaction(superuserUrl, async (client) => {
    // Two launchers on one server: `create role` has no "if not exists".
    await client.query("select pg_advisory_xact_lock(hashtext('platter: roles and schemas'))")
    const { rows } = await client.query<{ database: string }>('select current_database() as database')
    const database = client.escapeIdentifier(rows[0]?.database ?? '')
    await client.query(
      `revoke all on database ${database} from public; revoke all on schema public from public`,
    )
    const made: boolean[] = []
    for (const service of services) {
      const password = given[service] ?? randomBytes(18).toString('base64url')
      passwords[service] = password
      urls[service] = withCredentials(superuserUrl, service, password)
      await makeRole(client, service, password)
      made.push(await makeSchema(client, service))
      await makeClientRole(client, service)
      await client.query(`grant connect on database ${database} to ${client.escapeIdentifier(service)}`)
    }
    return made.includes(true)
  })
  return { urls, passwords, fresh }
}

/** Makes a database of its own on the same server, for a run that must not meet the rows of another. */
export async function createDatabase(superuserUrl: string, name: string): Promise<string> {
  await withClient(superuserUrl, (client) => client.query(`create database ${client.escapeIdentifier(name)}`))
  const url = new URL(superuserUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Drops a database, with every session in it. */
export async function dropDatabase(superuserUrl: string, name: string): Promise<void> {
  await withClient(superuserUrl, (client) =>
    client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`),
  )
}

/** Whether there is a database of this name on the server. */
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
  for (const [setting, value] of Object.entries(roleSettings)) {
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
 * The role that a service takes for what clients ask (packages/kit/src/postgres/tenant-scope.ts): it owns no table, so that
 * row-level security holds for it, in a table without a policy for everything.
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

/** One connection, for as long as `work` takes; its end rolls back what was not committed. Waits 10 s for it at most. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // A connection that breaks also rejects what is awaited; without a listener it would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
