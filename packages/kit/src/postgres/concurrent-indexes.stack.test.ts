import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { buildIndexes, missingIndexes, readIndexes } from '#/postgres/concurrent-indexes.ts'
import { connectPostgres } from '#/postgres/postgres.ts'
import { createLog } from '#/telemetry/log.ts'

const log = createLog('test', 'fatal')
const soon = { timeout: 30_000, interval: 20 }
/** Enough that writes happen during the build; `npm run large-tables` has 4 million orders. */
const ROWS = 200_000

const onWords = 'create index concurrently things_of_word on things (lower(word), id desc)'

async function directoryWith(files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'indexes-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
  return directory
}

/** Executes a statement on a connection of its own, which has the settings of the database. */
async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

async function setUp(rows: number) {
  const url = await newDatabase()
  const { db, close } = connectPostgres(url, 4, log)
  await sql`create table things (id bigint primary key, word text)`.execute(db)
  await execute(url, `insert into things select n, md5(n::text) from generate_series(1, ${rows}) n`)
  const indexes = await readIndexes(await directoryWith({ 'things_of_word.sql': `-- Why.\n${onWords}\n` }))
  const { signal } = new AbortController()
  const build = (given = signal, those = indexes) => buildIndexes({ url, indexes: those, log, signal: given })
  return { url, db, indexes, build, close }
}

type Setup = Awaited<ReturnType<typeof setUp>>

/** A transaction with a write, for which every build waits. */
async function openTransaction(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('begin; update things set word = word where id = 1')
  return { end: () => client.query('commit').then(() => client.end()) }
}

const waitForBuild = ({ db }: Setup) =>
  vi.waitFor(async () => {
    const { rows } = await sql`select from pg_stat_progress_create_index
      where datname = current_database() and phase like 'waiting%'`.execute(db)
    expect(rows).toHaveLength(1)
  }, soon)

const readStates = async ({ db }: Setup) => {
  const { rows } = await sql<{ isValid: boolean }>`select indisvalid as "isValid" from pg_index
    where indexrelid = to_regclass('things_of_word')`.execute(db)
  return rows
}

test('an index is built while writes continue, and contains all written rows', async () => {
  const setup = await setUp(ROWS)
  const { db, build } = setup
  const state = { isBuilding: true }
  const built = build().finally(() => (state.isBuilding = false))
  let written = 0
  while (state.isBuilding) await sql`insert into things values (${ROWS + ++written}, 'Written')`.execute(db)
  expect(await built).toBe(true)
  // A build that blocks writes would delay all of them except the first.
  expect(written).toBeGreaterThan(5)
  const { rows } = await sql`select from things where lower(word) = 'written'`.execute(db)
  expect(rows).toHaveLength(written)
  await setup.close()
})

test('a build may take longer than statement_timeout', async () => {
  const setup = await setUp(50_000)
  const database = new URL(setup.url).pathname.slice(1)
  await execute(setup.url, `alter database ${database} set statement_timeout = '5ms'`)
  const plain = onWords.replace('concurrently ', '')
  await expect(execute(setup.url, plain)).rejects.toThrow('statement timeout')
  expect(await setup.build()).toBe(true)
  expect(await readStates(setup)).toEqual([{ isValid: true }])
  await setup.close()
})

test('an index is built again after its build was killed while it read the table', async () => {
  const setup = await setUp(100)
  // Each row waits for the lock of another session.
  await execute(
    setup.url,
    `create function key_of(text) returns text immutable language plpgsql as
     'begin perform pg_advisory_xact_lock_shared(7); return lower($1); end'`,
  )
  const statement = onWords.replace('lower(word)', 'key_of(word)')
  const build = () => setup.build(undefined, [{ name: 'things_of_word', statement }])
  const reading = new pg.Client(setup.url)
  await reading.connect()
  await reading.query('select pg_advisory_lock(7)')
  const failed = build().catch(String)
  await vi.waitFor(async () => {
    const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_progress_create_index
      where datname = current_database() and phase like 'building index%'`.execute(setup.db)
    expect(rows).toHaveLength(1)
  }, soon)
  expect(await failed).toMatch(/terminat/)
  await reading.end()
  expect(await readStates(setup)).toEqual([{ isValid: false }])
  expect(await build()).toBe(true)
  expect(await readStates(setup)).toEqual([{ isValid: true }])
  await setup.close()
})

test('a killed build leaves an invalid index, and the next build replaces it', async () => {
  const setup = await setUp(100)
  const writer = await openTransaction(setup.url)
  const failed = setup.build().catch(String)
  await waitForBuild(setup)
  await sql`select pg_terminate_backend(pid) from pg_stat_progress_create_index
    where datname = current_database()`.execute(setup.db)
  expect(await failed).toMatch(/terminat/)
  await writer.end()
  expect(await readStates(setup)).toEqual([{ isValid: false }])
  expect(await missingIndexes(setup.db, setup.indexes)).toEqual(['things_of_word'])
  expect(await setup.build()).toBe(true)
  expect(await readStates(setup)).toEqual([{ isValid: true }])
  expect(await missingIndexes(setup.db, setup.indexes)).toEqual([])
  await setup.close()
})

test('a replica neither waits for the build of another replica nor disturbs it', async () => {
  const setup = await setUp(100)
  const writer = await openTransaction(setup.url)
  const first = setup.build()
  await waitForBuild(setup)
  expect(await Promise.all([setup.build(), setup.build()])).toEqual([false, false])
  await writer.end()
  expect(await first).toBe(true)
  expect(await readStates(setup)).toEqual([{ isValid: true }])
  await setup.close()
})

test('a replica stops at once during a build, and PostgreSQL completes it', async () => {
  const setup = await setUp(100)
  const writer = await openTransaction(setup.url)
  const stop = new AbortController()
  const stopped = setup.build(stop.signal)
  await waitForBuild(setup)
  stop.abort()
  expect(await stopped).toBe(false)
  expect(await setup.build()).toBe(false)
  await writer.end()
  await vi.waitFor(async () => expect(await readStates(setup)).toEqual([{ isValid: true }]), soon)
  await setup.close()
})

test.each([
  ['things_of_word.sql', 'create index things_of_word on things (word)'],
  ['things_of_id.sql', onWords],
  ['things_of_word.sql', `${onWords}; drop table things`],
])('refuses %s with "%s"', async (name, text) => {
  await expect(readIndexes(await directoryWith({ [name]: text }))).rejects.toThrow(/not one statement/)
})
