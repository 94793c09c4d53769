import type pg from 'pg'

/** Session settings by name. */
export type RoleSettings = Readonly<Record<string, string>>

/**
 * PostgreSQL makes a plan while the tables are small and keeps it while they grow. A join that scans a small table would later scan
 * the large table. The statement that saves a saga read all 870 sagas after 1,800 orders. With these settings, joins use only
 * indexes.
 */
export const JOINED_BY_KEY: RoleSettings = { enable_hashjoin: 'off', enable_mergejoin: 'off' }
export const BY_KEY: RoleSettings = { ...JOINED_BY_KEY, enable_seqscan: 'off' }
/**
 * By default PostgreSQL plans a statement with `= any($1)` again for each array. That costs more than a better plan saves: a quote
 * takes 0.33 ms instead of 0.12, and get-order 0.1 ms more.
 */
const GENERIC_PLANS: RoleSettings = { plan_cache_mode: 'force_generic_plan' }

/** `by key` is for services whose statements find all rows by index. */
export type Joins = 'any' | 'by key'

/** Returns the session settings of a service, without its search path. */
export const settingsFor = (joins: Joins): RoleSettings => ({
  ...GENERIC_PLANS,
  ...(joins === 'by key' && BY_KEY),
})

// The schema has the name of the login role. PostgreSQL's default, "$user", would use the role that TenantQuery sets.
const MISSING = `
  select wanted.name from (
    select 'search_path' as name, quote_ident(session_user) as shown
    union all select name, value from unnest($1::text[], $2::text[]) as given (name, value)
  ) as wanted where current_setting(wanted.name) <> wanted.shown
  union all select 'role ' || client.name from (select session_user || '_client' as name) as client
    where pg_has_role(session_user, to_regrole(quote_ident(client.name)), 'member') is not true`

/**
 * Rejects while new sessions lack a setting, or while the role for requests of clients is missing. The job `prepare` stores the
 * settings as defaults of the role and creates the other role; after an upgrade, a service may start before it. Start-up options
 * would have the same effect as defaults, but PgBouncer rejects them.
 */
export async function checkRole(pool: pg.Pool, settings: RoleSettings): Promise<void> {
  const client = await pool.connect()
  let missing: string[] = []
  try {
    const wanted = [Object.keys(settings), Object.values(settings)]
    const { rows } = await client.query<{ name: string }>(MISSING, wanted)
    missing = rows.map(({ name }) => name)
  } finally {
    // A session keeps the role defaults of its start, so a session without the settings is closed.
    client.release(missing.length > 0)
  }
  if (missing.length > 0)
    throw new Error(
      `sessions of PostgreSQL lack what the job prepare stores: ${missing.join(', ')}. Run it, and RECONNECT in PgBouncer.`,
    )
}
