import type { Client } from 'pg'
import { identifier, literal, rowsOf } from '#/database.ts'

type Role = { name: string; login: boolean; password: string | null; settings: string[] }

/**
 * Returns SQL that creates the roles and empty schemas of the services, as the job `prepare` does (dev/servers/database.ts). The
 * SQL contains the stored password hashes, which only a superuser may read. Without them, `prepare` sets the configured passwords
 * at the next start.
 */
export async function rolesSql(client: Client, schemas: readonly string[]): Promise<string> {
  const [reader] = await rowsOf<{ superuser: boolean }>(
    client,
    'select rolsuper as superuser from pg_roles where rolname = current_user',
  )
  const password =
    reader?.superuser === true ? '(select rolpassword from pg_authid a where a.oid = r.oid)' : 'null'
  const roles = await rowsOf<Role>(
    client,
    `select r.rolname as name, r.rolcanlogin as login, ${password} as password,
       coalesce((select setconfig from pg_db_role_setting where setrole = r.oid and setdatabase = 0), '{}') as settings
     from pg_roles r where r.rolname = any($1) order by 1`,
    [schemas.flatMap((name) => [name, `${name}_client`])],
  )
  return [
    ...roles.flatMap(roleSql),
    onDatabase((database) => `revoke all on database ${database} from public`),
    'revoke all on schema public from public;',
    ...schemas.flatMap(schemaSql),
    '',
  ].join('\n')
}

function roleSql({ name, login, password, settings }: Role): string[] {
  const role = identifier(name)
  const rights = `${login ? 'login' : 'nologin'} nosuperuser nocreatedb nocreaterole`
  return [
    `do $do$ begin
  if not exists (select from pg_roles where rolname = ${literal(name)}) then create role ${role}; end if;
end $do$;`,
    `alter role ${role} with ${rights}${password === null ? '' : ` password ${literal(password)}`};`,
    ...settings.map((setting) => {
      const at = setting.indexOf('=')
      return `alter role ${role} set ${identifier(setting.slice(0, at))} = ${literal(setting.slice(at + 1))};`
    }),
  ]
}

function schemaSql(name: string): string[] {
  const [schema, client] = [identifier(name), identifier(`${name}_client`)]
  const rights = 'select, insert, update, delete'
  return [
    `create schema ${schema} authorization ${schema};`,
    `revoke all on schema ${schema} from public;`,
    `grant ${client} to ${schema};`,
    `grant usage on schema ${schema} to ${client};`,
    `alter default privileges for role ${schema} in schema ${schema} grant ${rights} on tables to ${client};`,
    onDatabase((database) => `grant connect on database ${database} to ${schema}`),
  ]
}

/** Runs a statement on the current database. The database's name may differ at the restore. */
const onDatabase = (statement: (database: string) => string): string =>
  `do $do$ begin execute format(${literal(statement('%I'))}, current_database()); end $do$;`
