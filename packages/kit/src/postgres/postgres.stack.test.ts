import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requestTimes } from '@platter/contracts'
import { newDatabase, proxyTo, servers } from '@platter/testkit'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { isUnavailable } from '#/http/problem-of-error.ts'
import { createLog } from '#/telemetry/log.ts'
import { migrate } from '#/postgres/migrate.ts'
import { connectPostgres, type Db } from '#/postgres/postgres.ts'

const log = createLog('test', 'fatal')
const soon = { timeout: 30_000, interval: 50 }

async function migrations(files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
  return directory
}

test('replicas that start at the same time apply a migration once', async () => {
  const url = await newDatabase()
  const directory = await migrations({
    '0001_create_things.sql': 'create table things (id int primary key); insert into things values (1);',
    '0002_add_thing.sql': 'insert into things values (2);',
  })
  const replicas = Array.from({ length: 4 }, () => connectPostgres(url, 4, log))
  await Promise.all(replicas.map(({ db }) => vi.waitFor(() => migrate(db, directory, log), soon)))
  for (const { db, close } of replicas) {
    expect((await sql`select * from things`.execute(db)).rows).toHaveLength(2)
    await close()
  }
})

test('a replica whose migrations are applied does not wait for the lock of migrations', async () => {
  const { db, close } = connectPostgres(await newDatabase(), 4, log)
  const directory = await migrations({
    '0001_create_things.sql': 'create table things (id int primary key);',
  })
  await migrate(db, directory, log)
  await db.connection().execute(async (migrating) => {
    await sql`select pg_advisory_lock(3853314791062309107)`.execute(migrating)
    await expect(migrate(db, directory, log)).resolves.toBeUndefined()
  })
  await close()
})

test('a failed migration has no effect', async () => {
  const { db, close } = connectPostgres(await newDatabase(), 4, log)
  const directory = await migrations({
    '0001_create_things.sql': 'create table things (id int primary key);',
    '0002_fail.sql': 'insert into nothing values (2);',
  })
  await expect(migrate(db, directory, log)).rejects.toThrow(/nothing/)
  await expect(sql`select * from things`.execute(db)).rejects.toThrow(/things/)
  await close()
})

test('a service is not ready while PostgreSQL accepts no writes, as a standby or a server with a full disk', async () => {
  const url = new URL(servers().postgres)
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const { check, close } = connectPostgres(url.href, 4, log)
  await expect(check()).rejects.toThrow('PostgreSQL accepts no writes')
  await close()
})

test('cut connections, also within a transaction, cause errors and never end the process', async () => {
  const proxy = await proxyTo(servers().postgres)
  const { db, check, close } = connectPostgres(proxy.url, 4, log)
  await check()
  const cutInTransaction = db.transaction().execute(async (trx) => {
    await sql`select 1`.execute(trx)
    proxy.cut()
    await sql`select 2`.execute(trx)
  })
  await expect(cutInTransaction).rejects.toThrow(/terminated|ECONNRESET|connection error/)
  await expect(check()).rejects.toThrow(/terminated|ECONN|connection error/)
  proxy.restore()
  await vi.waitFor(check, soon)
  await close()
  await proxy.close()
})

test('a lock timeout and a statement timeout count as unavailable', async () => {
  const { db, close } = connectPostgres(await newDatabase(), 4, log)
  await sql`create table things (id int primary key); insert into things values (1)`.execute(db)
  await db.transaction().execute(async (holder) => {
    await sql`select * from things for update`.execute(holder)
    for (const timeout of ['lock_timeout', 'statement_timeout']) {
      const waiting = db.transaction().execute(async (trx) => {
        await sql`select set_config(${timeout}, '50ms', true)`.execute(trx)
        await sql`update things set id = 2`.execute(trx)
      })
      await expect(waiting).rejects.toSatisfy(isUnavailable)
    }
  })
  await close()
})

test('after a query timeout the connection is closed, and the pool opens another one', async () => {
  const proxy = await proxyTo(servers().postgres)
  const { db, close } = connectPostgres(proxy.url, 1, log)
  const backend = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]
  const first = await backend()
  proxy.freeze()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const hung = backend().catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(requestTimes.statement)
  expect(await hung).toMatchObject({ message: 'Query read timeout' })
  vi.useRealTimers()
  proxy.thaw()
  expect(await backend()).not.toEqual(first)
  await close()
  await proxy.close()
})

const find = async (db: Db) => (await sql`select * from things where id = ${1}`.execute(db)).rows

test('a migration that adds a column fails no statement that a connection has prepared with all columns', async () => {
  const url = await newDatabase()
  const { db, close } = connectPostgres(url, 1, log)
  const { db: other, close: closeOther } = connectPostgres(url, 1, log)
  await sql`create table things (id int primary key); insert into things values (1)`.execute(db)
  expect(await find(db)).toEqual([{ id: 1 }])
  await sql`alter table things add column name text`.execute(other)
  expect(await find(db)).toEqual([{ id: 1, name: null }])
  expect(await db.transaction().execute(find)).toEqual([{ id: 1, name: null }])
  await sql`alter table things add column size int`.execute(other)
  // A transaction cannot be continued after the error; the next one prepares the statement again.
  await expect(db.transaction().execute(find)).rejects.toThrow('cached plan')
  expect(await db.transaction().execute(find)).toEqual([{ id: 1, name: null, size: null }])
  // PgBouncer would map equal texts to one prepared statement.
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db)
  expect(new Set(rows.map(({ statement }) => statement)).size).toBe(3)
  await close()
  await closeOther()
})

test('a query timeout within a transaction counts as unavailable', async () => {
  const proxy = await proxyTo(servers().postgres)
  const { db, close } = connectPostgres(proxy.url, 1, log)
  const frozen = Promise.withResolvers<void>()
  const hung = db
    .transaction()
    .execute(async (trx) => {
      await sql`select 1`.execute(trx)
      proxy.freeze()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      frozen.resolve()
      await sql`select 1`.execute(trx)
    })
    .catch((error: unknown) => error)
  await frozen.promise
  await vi.advanceTimersByTimeAsync(requestTimes.statement)
  const error = await hung
  vi.useRealTimers()
  expect(error).toSatisfy(isUnavailable)
  proxy.thaw()
  await close()
  await proxy.close()
})

test('after a write at a standby the connection is closed, and the pool opens another one', async () => {
  const { db, close } = connectPostgres(await newDatabase(), 1, log)
  await sql`create table things (id int primary key)`.execute(db)
  // The session behaves like one at a standby.
  await sql`set default_transaction_read_only = on`.execute(db)
  const write = () => sql`insert into things values (1)`.execute(db)
  await expect(write()).rejects.toSatisfy(isUnavailable)
  await write()
  await close()
})
