import { createLog, type Db } from '@platter/kit'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseServices } from '../../dev/stack/services.ts'
import { servicesDatabase, type ServicesDatabase } from './services-database.ts'

/* An attacker who controls a service can change everything in its schema, and no object outside of it. */

let database: ServicesDatabase
let superuser: { db: Db; close: () => Promise<void> }
const as: Record<string, Db> = {}

beforeAll(async () => {
  database = await servicesDatabase(databaseServices)
  superuser = connectPostgres(database.url, 2, createLog('test', 'silent'))
  for (const service of databaseServices) as[service] = database.connect(service, 1).db
  // Each service has a session that another one could end.
  await Promise.all(Object.values(as).map((db) => sql`select 1`.execute(db)))
})

afterAll(async () => {
  await superuser.close()
  await database.close()
})

const rowsOf = async <R>(query: ReturnType<typeof sql<R>>, db = superuser.db): Promise<R[]> =>
  (await query.execute(db)).rows

/** Returns all objects of schemas other than PostgreSQL's own, including objects that are added later. */
const findObjects = () =>
  rowsOf(sql<{ schema: string; name: string; kind: string }>`
    select nspname as schema, relname as name, relkind as kind
    from pg_class join pg_namespace n on n.oid = relnamespace
    where nspname !~ '^pg_' and nspname <> 'information_schema' and relkind in ('r', 'p', 'v', 'm', 'S', 'f')`)

test('the schema of each service has more than two objects to protect', async () => {
  const found = await findObjects()
  for (const service of databaseServices)
    expect(found.filter(({ schema }) => schema === database.role(service)).length).toBeGreaterThan(2)
})

test.each([...databaseServices])(
  '%s may neither read nor write an object of another schema',
  async (service) => {
    const role = database.role(service)
    for (const grantee of [role, `${role}_client`]) {
      const accessible = await rowsOf(sql<{ object: string }>`
      select n.nspname || '.' || relname as object
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where n.nspname !~ '^pg_' and n.nspname not in ('information_schema', ${role}) and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
        and (has_schema_privilege(${grantee}, n.oid, 'usage, create') or case when relkind = 'S'
          then has_sequence_privilege(${grantee}, c.oid, 'usage, select, update')
          else has_table_privilege(${grantee}, c.oid, 'select, insert, update, delete, truncate, references, trigger')
            or has_any_column_privilege(${grantee}, c.oid, 'select, insert, update, references') end)`)
      expect(accessible).toEqual([])
    }
    const others = (await findObjects()).filter(({ schema, kind }) => schema !== role && kind === 'r')
    for (const { schema, name } of others) {
      const table = sql.id(schema, name)
      for (const statement of [
        sql`select * from ${table}`,
        sql`delete from ${table}`,
        sql`truncate ${table}`,
      ])
        await expect(statement.execute(as[service] as Db)).rejects.toThrow('permission denied')
    }
  },
)

const forbidden: readonly [string, (other: string) => string][] = [
  ['make a role', () => `create role mallory superuser`],
  ['make itself a superuser', () => `alter role current_user superuser`],
  ['take the role of another service', (other) => `set role ${other}`],
  ['take the client role of another service', (other) => `set role ${other}_client`],
  ['take the role of the superuser', () => `set role postgres`],
  ['make a database', () => `create database mallory`],
  ['make a schema', () => `create schema mallory`],
  ['make a table in the schema public', () => `create table public.mallory ()`],
  ['make a temporary table', () => `create temporary table mallory ()`],
  ['read a file of the server', () => `select pg_read_file('/etc/passwd')`],
  ['list a folder of the server', () => `select pg_ls_dir('/')`],
  ['write a file of the server', () => `copy (select 1) to '/tmp/mallory'`],
  ['run a program on the server', () => `copy (select 1) to program 'true'`],
  ['import a file into the database', () => `select lo_import('/etc/passwd')`],
  ['read the passwords of roles', () => `select rolpassword from pg_authid`],
  ['change the settings of the server', () => `alter system set work_mem = '1GB'`],
  [
    'end the sessions of another service',
    (other) => `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${other}'`,
  ],
  // The statement uses a handler of every PostgreSQL. An extension that is not installed is rejected for every role.
  ['add a procedural language', () => `create language mallory handler plpgsql_call_handler`],
  [
    'make a function that runs machine code',
    () => `create function mallory() returns integer language c as 'libc.so.6', 'getpid'`,
  ],
]

test.each(forbidden)('no service can %s', async (_, statement) => {
  for (const [index, service] of databaseServices.entries()) {
    const other = database.role(databaseServices[(index + 1) % databaseServices.length] ?? '')
    const run = sql.raw(statement(other)).execute(as[service] as Db)
    await expect(run).rejects.toThrow(/permission denied|must be|only superusers|only roles|not allowed/i)
  }
})

test('the client role owns no object, cannot log in, and has no special right', async () => {
  for (const service of databaseServices) {
    const [role] = await rowsOf(sql<Record<string, unknown>>`
      select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, (select count(*) from pg_class where relowner = r.oid) as owned
      from pg_roles r where rolname = ${`${database.role(service)}_client`}`)
    expect(role).toEqual({
      rolcanlogin: false,
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      owned: 0,
    })
  }
})

test('every table of every service has row-level security', async () => {
  const open = await rowsOf(sql<{ name: string }>`
    select relnamespace::regnamespace || '.' || relname as name from pg_class
    where relnamespace::regnamespace::text = any(${databaseServices.map(database.role)})
      and relkind in ('r', 'p') and not relrowsecurity`)
  expect(open).toEqual([])
})
