import type pg from 'pg'

/** Session settings by name. */
export type RoleSettings = Readonly<Record<string, string>>

/**
 * A plan is made while the tables are small, and kept while they grow: a join that scans a small table would scan the large one from
 * then on. The statement that moves a saga read all sagas, 870 of them after 1,800 orders. These settings allow joins by key only.
 */
export const JOINED_BY_KEY: RoleSettings = { enable_hashjoin: 'off', enable_mergejoin: 'off' }
export const BY_KEY: RoleSettings = { ...JOINED_BY_KEY, enable_seqscan: 'off' }
/**
 * PostgreSQL would plan a statement with `= any($1)` again for each array, which costs more than the better plan saves: a quote takes
 * 0.33 ms instead of 0.12, get-order 0.1 ms more.
 */
const GENERIC_PLANS: RoleSettings = { plan_cache_mode: 'force_generic_plan' }

/** `by key` is for services whose statements find all rows by key. */
export type Joins = 'any' | 'by key'

/** The session settings of a service, besides its search path. */
export const settingsFor = (joins: Joins): RoleSettings => ({
  ...GENERIC_PLANS,
  ...(joins === 'by key' && BY_KEY),
})

/**
 * Stores settings as defaults of the own role, which every role may do. Start-up options would do the same for each connection, but
 * PgBouncer refuses them. The job `prepare` has stored them already, except before an upgrade. Rejects while new sessions still lack a setting.
 */
export async function applyRoleSettings(pool: pg.Pool, settings: RoleSettings): Promise<void> {
  if ((await missingSettings(pool, settings)).length === 0) return
  await storeMissing(pool, settings)
  const missing = await missingSettings(pool, settings)
  if (missing.length === 0) return
  const names = missing.map(([name]) => name).join(', ')
  throw new Error(
    `sessions of PostgreSQL lack the settings of their role: ${names}. Make PgBouncer open new ones (RECONNECT), or end them.`,
  )
}

type Setting = readonly [name: string, value: string]

/** Closes the connection if settings are missing: a session keeps the defaults that its role had at its start. */
async function missingSettings(pool: pg.Pool, settings: RoleSettings): Promise<readonly Setting[]> {
  const client = await pool.connect()
  let missing: readonly Setting[] = []
  try {
    missing = await readMissing(client, settings)
  } finally {
    client.release(missing.length > 0)
  }
  return missing
}

// The schema has the name of the role. PostgreSQL's default, "$user", would be that of the role that TenantQuery sets.
const MISSING = `
  select wanted.name, wanted.value from (
    select 'search_path' as name, session_user::text as value, quote_ident(session_user) as shown
    union all select name, value, value from unnest($1::text[], $2::text[]) as given (name, value)
  ) as wanted where current_setting(wanted.name) <> wanted.shown`

async function readMissing(client: pg.PoolClient, settings: RoleSettings): Promise<readonly Setting[]> {
  const { rows } = await client.query<{ name: string; value: string }>(MISSING, [
    Object.keys(settings),
    Object.values(settings),
  ])
  return rows.map(({ name, value }) => [name, value])
}

async function storeMissing(pool: pg.Pool, settings: RoleSettings): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    // Replicas that start together would alter the same row of the catalog, and all but one would fail.
    await client.query(`select pg_advisory_xact_lock(hashtext('platter: role settings'))`)
    for (const [name, value] of await readMissing(client, settings)) {
      const [setting, literal] = [client.escapeIdentifier(name), client.escapeLiteral(value)]
      await client.query(`alter role current_user set ${setting} = ${literal}`)
    }
    await client.query('commit')
  } finally {
    client.release(true)
  }
}
