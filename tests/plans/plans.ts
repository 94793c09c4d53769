import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLog, type Db } from '@platter/kit'
import { buildIndexes, readIndexes } from '@platter/kit/postgres/concurrent-indexes'
import { migrate } from '@platter/kit/postgres/migrate'
import { BY_KEY, JOINED_BY_KEY, type RoleSettings } from '@platter/kit/postgres/role-settings'
import { newDatabase } from '@platter/testkit'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

/* The plans of PostgreSQL for the statements of a store, with enough rows to affect the plan. */

type Call = (db: Db) => Promise<unknown>

/**
 * A call of every function of a store that queries the database. A new function without a call does not compile. The rows that
 * the arguments name must exist, because a function may send further statements only for a row that it finds.
 */
export type CallsOf<Store> = {
  [Name in keyof Store as Store[Name] extends (...args: never[]) => Promise<unknown> ? Name : never]: Call
}

/** Returns each call with the name of its store and of its function. */
export const namedCalls = (calls: Record<string, Record<string, Call>>) =>
  Object.entries(calls).flatMap(([store, functions]) =>
    Object.entries(functions).map(([name, call]) => [`${store}.${name}`, call] as const),
  )

type Statement = { sql: string; parameters: readonly unknown[] }
type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

/**
 * Opens a database with the settings of a service, and records its statements. `joins`: the setting in the wire.ts of the service.
 * `young`: plans from a time with few rows, which the connection keeps.
 */
export async function openDatabase(service: string, { joins }: { joins?: 'by key' | 'young' } = {}) {
  const settings: RoleSettings = { 'by key': JOINED_BY_KEY, young: BY_KEY, any: {} }[joins ?? 'any']
  const options = Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
  const url = await newDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 2, options })
  const sent: Statement[] = []
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void sent.push(query),
  })
  const migrations = join(import.meta.dirname, `../../services/${service}/migrations`)
  const log = createLog('test', 'fatal')
  await migrate(db, migrations, log)
  const folder = join(import.meta.dirname, `../../services/${service}/indexes`)
  if (existsSync(folder))
    await buildIndexes({ url, indexes: await readIndexes(folder), log, signal: new AbortController().signal })
  const nodesOf = async (call: Call) => {
    sent.length = 0
    await call(db)
    const plans = await Promise.all(sent.filter(isPlanned).map(({ sql }) => planOf(pool, sql)))
    return plans.flatMap(withChildren)
  }
  return {
    url,
    pool,
    db,
    /**
     * Returns the pages of 8 KB that the last statement of `call` accesses. Their number does not depend on the load of the machine.
     */
    buffersOf: async (call: Call): Promise<number> => {
      sent.length = 0
      await call(db)
      return buffersOf(pool, sent.at(-1)!)
    },
    /**
     * Returns the tables that the statements of `call` read entirely, directly or through an index. `allowed`: indexes that they may
     * read entirely.
     */
    readsWhole: async (call: Call, allowed: readonly string[] = []) => [
      ...new Set((await nodesOf(call)).flatMap((node) => readWhole(node, allowed))),
    ],
    /** Returns the indexes by which the statements of `call` find rows. */
    findsBy: async (call: Call) => [
      ...new Set((await nodesOf(call)).flatMap((node) => node['Index Name'] ?? [])),
    ],
    close: () => db.destroy(),
  }
}

const isPlanned = ({ sql }: Statement) => /^\s*(select|insert|update|delete|with)\b/i.test(sql)

/** Returns the plan that a service uses for all parameter values of a statement. */
async function planOf(pool: pg.Pool, statement: string): Promise<Plan> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (generic_plan, format json) ${statement}`,
  )
  return rows[0]!['QUERY PLAN'][0].Plan
}

/** Executes a statement with the plan that a service uses for all values of its parameters. */
async function buffersOf(pool: pg.Pool, { sql, parameters }: Statement): Promise<number> {
  const client = await pool.connect()
  try {
    const values = parameters.map((value) =>
      client.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value)),
    )
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare explained as ${sql}`)
    const given = values.length === 0 ? '' : `(${values.join(', ')})`
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Buffers }] }>(
      `explain (analyze, buffers, timing off, format json) execute explained${given}`,
    )
    await client.query('deallocate explained')
    client.release()
    const [{ Plan: plan }] = rows[0]!['QUERY PLAN']
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  } catch (error) {
    // Closes the session: in the pool, it would keep the prepared statement.
    client.release(true)
    throw error
  }
}
type Buffers = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }

const withChildren = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(withChildren)]

/** A scan of an index without a condition reads the entire index, including dead entries of old rows. */
function readWhole(plan: Plan, allowed: readonly string[]): string[] {
  const bitmaps = plan.Plans?.filter((child) => child['Node Type'] === 'Bitmap Index Scan') ?? []
  const indexes = [plan, ...bitmaps].filter(isWholeIndex).map((scan) => scan['Index Name'] ?? '')
  const isWhole = plan['Node Type'] === 'Seq Scan' || indexes.some((index) => !allowed.includes(index))
  return isWhole ? [plan['Relation Name'] ?? ''] : []
}

const isWholeIndex = (plan: Plan) => plan['Index Name'] !== undefined && plan['Index Cond'] === undefined
