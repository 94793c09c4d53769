import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { servers } from '#/servers.ts'

/** Creates an empty database on the test server. Returns its URL for the superuser. */
export async function newDatabase(): Promise<string> {
  const url = new URL(servers().postgres)
  const name = newName()
  await run(url, `create database ${name}`)
  url.pathname = `/${name}`
  return url.href
}

/**
 * Creates a database with a separate role and schema for a whole service, and returns its URL. `settings` are the defaults of the
 * role: a service requires them when it starts.
 */
export async function newServiceDatabase(settings: Readonly<Record<string, string>>): Promise<string> {
  const url = new URL(await newDatabase())
  const name = newName()
  await run(url, `create role ${name} login password '${name}'; create schema ${name} authorization ${name}`)
  await run(url, `create role ${name}_client nologin; grant ${name}_client to ${name}`)
  for (const [setting, value] of Object.entries({ ...settings, search_path: name }))
    await run(url, `alter role ${name} set ${setting} = ${value}`)
  url.username = name
  url.password = name
  return url.href
}

const newName = () => `test_${randomUUID().replaceAll('-', '')}`

async function run(url: URL, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(statements)
  await client.end()
}
