import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { servers } from '#/servers.ts'

/** The URL of a new, empty database on the test server. */
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
