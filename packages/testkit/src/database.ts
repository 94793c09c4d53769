import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { servers } from '#/servers.ts'

/** Creates an empty database on the test server. Returns its URL for the superuser. */
export async function newDatabase(): Promise<string> {
  const url = new URL(servers().postgres)
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  url.pathname = `/${name}`
  return url.href
}
