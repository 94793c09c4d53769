import { JOINED_BY_KEY, createLog, migrate } from '@platter/kit'
import { newDatabase } from '@platter/testkit'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

/* How PostgreSQL goes about the statements of a store, with enough rows that it matters. */

/**
 * A call of every function of a store that asks the database something: a new one without a call does not compile. What
 * the arguments are does not matter, except that the rows of `known` are there.
 */
export type CallsOf<Store, Db> = {
  [Name in keyof Store as Store[Name] extends (...args: never[]) => Promise<unknown> ? Name : never]: (
    db: Db,
  ) => Promise<unknown>
}

/** Each call with the name of its store and its own. */
export const namedCalls = <Db>(calls: Record<string, Record<string, (db: Db) => Promise<unknown>>>) =>
  Object.entries(calls).flatMap(([store, functions]) =>
    Object.entries(functions).map(([name, call]) => [`${store}.${name}`, call] as const),
  )

type Statement = { sql: string; parameters: readonly unknown[] }
type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] }

/** A database as a service has it (`joins` as its wire.ts says), that remembers what it was asked. */
export async function openDatabase<Tables>(service: string, { joins }: { joins?: 'by key' } = {}) {
  const options = joins === 'by key' ? JOINED_BY_KEY : ''
  const pool = new pg.Pool({ connectionString: await newDatabase(), max: 2, options })
  const asked: Statement[] = []
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query: { sql, parameters } }) => void asked.push({ sql, parameters }),
  })
  const migrations = new URL(`../../services/${service}/migrations`, import.meta.url).pathname
  await migrate(db, migrations, createLog('test', 'fatal'))
  return {
    pool,
    db,
    /** The tables that the statements of `call` read from one end to the other. */
    async readsWhole(call: (db: Kysely<Tables>) => Promise<unknown>): Promise<string[]> {
      asked.length = 0
      await call(db)
      const plans = await Promise.all(asked.filter(isPlanned).map((statement) => planOf(pool, statement)))
      return [...new Set(plans.flatMap(wholeTables))]
    },
    close: () => db.destroy(),
  }
}

const isPlanned = ({ sql }: Statement) => /^\s*(select|insert|update|delete|with)\b/i.test(sql)

/** With its parameters, as PostgreSQL plans a statement while that is cheaper than a plan for all. */
async function planOf(pool: pg.Pool, { sql, parameters }: Statement): Promise<Plan> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${sql}`, [
    ...parameters,
  ])
  return rows[0]!['QUERY PLAN'][0].Plan
}

function wholeTables(plan: Plan): string[] {
  const own = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : []
  return [...own, ...(plan.Plans ?? []).flatMap(wholeTables)]
}
