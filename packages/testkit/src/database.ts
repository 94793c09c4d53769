import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { servers } from '#/servers.ts'

/** The URL of a new, empty database on the test server, as its superuser. */
export async function newDatabase(): Promise<string> {
  const url = new URL(servers().postgres)
  const name = newName()
  await run(url, `create database ${name}`)
  url.pathname = `/${name}`
  return url.href
}

/**
 * The URL of a new database for a service that is started whole. It has a role and a schema of its own: at its start a service stores
 * settings in its role, and those of the superuser would reach the other tests.
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
