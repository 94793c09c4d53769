import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newDatabase } from '@platter/testkit'
import { startHttpServer } from '@platter/testkit/http-server'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UnreadableArchive, writeArchive } from '#/archive.ts'
import { connect, rowsOf } from '#/database.ts'
import { inspectArchive, restoreArchive, RestoreRefused } from '#/restore.ts'
import { readSnapshot } from '#/snapshot.ts'
import { backUp } from '#/store.ts'

/* A schema of its own, so that the roles of other tests on the same server stay as they are. */

const schema = `backup_${process.pid}`
const folder = mkdtempSync(join(tmpdir(), 'platter-restore-'))
const file = join(folder, 'one.age')
const keys = { passphrase: 'of this test only', workFactor: 10 }
const migrations = () => folder
const MIGRATION = `create table notes (
  id bigint generated always as identity primary key, text text, tags text[], data jsonb, at timestamptz not null default now(),
  length integer generated always as (length(text)) stored
);
create table replies (note bigint not null references notes, text text);
create table runs (name text primary key, at integer not null);
insert into runs values ('daily', 1);
create function refuse() returns trigger language plpgsql as $$ begin raise 'no trigger may run in a restore'; end $$;`
const TRIGGER = 'create trigger refuse_inserts before insert on notes execute function refuse();'

let source: string
/** A database without tables, also after each refused restore. */
let empty: string
const withDatabase = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = await connect(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
const notesOf = (url: string) =>
  withDatabase(url, (client) => rowsOf(client, `select *, at::text from ${schema}.notes order by id`))
const writeOne = () => writeArchive(file, keys, readSnapshot({ databaseUrl: source, files: [], migrations }))

beforeAll(async () => {
  source = await newDatabase()
  empty = await newDatabase()
  writeFileSync(join(folder, '0001_notes.sql'), MIGRATION)
  writeFileSync(join(folder, '0002_refuse.sql'), TRIGGER)
  await withDatabase(source, async (client) => {
    await client.query(`create role ${schema} login password 'one'; create role ${schema}_client nologin;
      alter role ${schema} set statement_timeout = '3s'; grant ${schema}_client to ${schema};
      create schema ${schema} authorization ${schema}; set role ${schema}; set search_path = ${schema};
      create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);
      create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer not null default 0);
      insert into kysely_migration values ('0001_notes', '2026'), ('0002_refuse', '2026');`)
    await client.query(MIGRATION)
    await client.query(
      `insert into notes (text, tags, data) values
         (E'line\\nbreak\\ttab \\\\. back\\\\slash', array['a', null, 'c,d'], '{"money": "1\\\\n0"}'), (null, null, null), ('', '{}', 'null')`,
    )
    // 5 MB, so the archive has two parts of this table.
    await client.query(`insert into notes (text) select repeat('x', 100000) from generate_series(1, 50)`)
    await client.query(`insert into replies values (1, 'one'), (2, 'two')`)
    await client.query(`update runs set at = 2`)
    await client.query(TRIGGER)
  })
  await writeOne()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
})

test('a restore into an empty database restores rows, sequences, owner, grants, triggers and role settings', async () => {
  const target = await newDatabase()
  // Roles belong to the server and not to a database, so the role still has its settings.
  await withDatabase(target, (client) => client.query(`alter role ${schema} reset all`))
  const { rows } = await restoreArchive(file, keys, { databaseUrl: target })
  // In the order of the names: the migrations, their lock, notes, replies, runs.
  expect(rows).toEqual([2, 0, 53, 2, 1])
  expect(await notesOf(target)).toEqual(await notesOf(source))
  await withDatabase(target, async (client) => {
    // A migration has inserted this row, and a service has changed it.
    expect(await rowsOf(client, `select * from ${schema}.runs`)).toEqual([{ name: 'daily', at: 2 }])
    const [found] = await rowsOf<{ owner: string; last: string; canRead: boolean }>(
      client,
      `select pg_get_userbyid(relowner) as owner, nextval('${schema}.notes_id_seq')::text as last,
         has_table_privilege('${schema}_client', '${schema}.notes', 'select') as "canRead" from pg_class
       where oid = '${schema}.notes'::regclass`,
    )
    expect(found).toMatchObject({ owner: schema, last: '10054', canRead: true })
    const settings = `select setconfig from pg_db_role_setting
      where setrole = '${schema}'::regrole and setdatabase = 0`
    expect(await rowsOf(client, settings)).toEqual([{ setconfig: ['statement_timeout=3s'] }])
    await expect(client.query(`insert into ${schema}.notes (text) values ('x')`)).rejects.toThrow(
      'no trigger',
    )
  })
})

test('a backup is one snapshot, without the rows that are written while it runs', async () => {
  const parts = readSnapshot({ databaseUrl: source, files: [], migrations })
  const names: string[] = []
  const late = async () =>
    withDatabase(source, (client) => client.query(`insert into ${schema}.replies values (3, 'late')`))
  for await (const { name, content } of parts) {
    names.push(name)
    if (name === 'manifest.json') await late()
    expect(content.toString()).not.toContain('late')
  }
  expect(names).toEqual(expect.arrayContaining(['roles.sql', 'schema.sql', 'restore.psql', 'end.json']))
})

test('a wrong passphrase is refused before the database changes', async () => {
  await expect(restoreArchive(file, { passphrase: 'wrong' }, { databaseUrl: empty })).rejects.toThrow(
    UnreadableArchive,
  )
  await expect(notesOf(empty)).rejects.toThrow('does not exist')
})

test('a truncated archive is refused before the database changes', async () => {
  const torn = join(folder, 'torn.age')
  const whole = readFileSync(file)
  writeFileSync(torn, whole)
  truncateSync(torn, whole.length - 1)
  await expect(restoreArchive(torn, keys, { databaseUrl: empty })).rejects.toThrow(UnreadableArchive)
  await expect(notesOf(empty)).rejects.toThrow('does not exist')
})

async function* withoutEnd() {
  for await (const entry of readSnapshot({ databaseUrl: source, files: [], migrations }))
    if (entry.name !== 'end.json' && !entry.name.endsWith('-000002.copy')) yield entry
}

test('an archive without its last part is not complete, although its encryption is intact', async () => {
  const short = join(folder, 'short.age')
  await writeArchive(short, keys, withoutEnd())
  await expect(inspectArchive(short, keys)).rejects.toThrow('not a complete archive')
})

test('refuses to restore into a database with rows, and replaces them with force', async () => {
  const target = await newDatabase()
  await restoreArchive(file, keys, { databaseUrl: target })
  await expect(restoreArchive(file, keys, { databaseUrl: target })).rejects.toThrow(RestoreRefused)
  await withDatabase(target, (client) => client.query(`delete from ${schema}.notes where id > 2`))
  await restoreArchive(file, keys, { databaseUrl: target, force: true })
  expect(await notesOf(target)).toHaveLength(53)
})

test('a restore is refused while a service is connected, also with force', async () => {
  const url = new URL(empty)
  url.username = schema
  url.password = 'one'
  await withDatabase(url.href, async () => {
    await expect(restoreArchive(file, keys, { databaseUrl: empty, force: true })).rejects.toThrow(
      'Services are connected',
    )
  })
})

test('a backup refuses a database with a migration that this version does not have', async () => {
  await withDatabase(source, (client) =>
    client.query(`insert into ${schema}.kysely_migration values ('9999_later', '2027')`),
  )
  await expect(writeOne()).rejects.toThrow('A newer version has applied the migration 9999_later')
  await withDatabase(source, (client) =>
    client.query(`delete from ${schema}.kysely_migration where name = '9999_later'`),
  )
})

/** Backs up three times, to a bucket that refuses requests with these methods. */
async function backUpThrice(archives: string, refused: readonly string[]) {
  const { url, close } = await startHttpServer((request, response) => {
    request
      .resume()
      .on('end', () => response.writeHead(refused.includes(request.method ?? '') ? 403 : 200).end())
  })
  const bucket = { url, region: 'eu-central-1', accessKeyId: 'id', secretAccessKey: 'secret' }
  const results: string[] = []
  for (const time of ['2026-11-23T03:15:00Z', '2026-11-23T03:30:00Z', '2026-11-24T03:30:00Z'])
    results.push(
      await backUp(
        { folder: archives, bucket, keepDays: 1 },
        { databaseUrl: source, files: [], migrations },
        keys,
        new Date(time),
      ).then(({ bucketNotCleaned }) => `stored: ${bucketNotCleaned}`, String),
    )
  await close()
  return { results: results.map((result) => result.replace(/ http.*/, '')), kept: readdirSync(archives) }
}

test('while the bucket refuses archives, retries keep one archive a day in the folder', async () => {
  const { results, kept } = await backUpThrice(join(folder, 'refused'), ['PUT'])
  expect(results).toEqual(Array(3).fill('Error: S3 responds with 403 to PUT'))
  expect(kept).toEqual(['platter-2026-11-23T031500Z.age', 'platter-2026-11-24T033000Z.age'])
})

test('a key that may only write to the bucket does not fail a backup; its result has the reason', async () => {
  const { results, kept } = await backUpThrice(join(folder, 'write-only'), ['GET', 'DELETE'])
  expect(results).toEqual(Array(3).fill('stored: S3 responds with 403 to GET'))
  expect(kept, 'archives older than a day').toEqual([
    'platter-2026-11-23T033000Z.age',
    'platter-2026-11-24T033000Z.age',
  ])
})
