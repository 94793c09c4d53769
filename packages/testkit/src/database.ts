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
 * Creates a database with a separate role and schema for a whole service, and returns its URL. A service stores settings in its
 * role when it starts. Settings in the superuser's role would affect other tests.
 */
export async function newServiceDatabase(): Promise<string> {
  const url = new URL(await newDatabase())
  const name = newName()
  await run(url, `create role ${name} login password '${name}'; create schema ${name} authorization ${name}`)
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
