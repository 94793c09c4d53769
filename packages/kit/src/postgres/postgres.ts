import { requestTimes } from '@platter/contracts'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { Cache } from '#/cache/cache.ts'
import { TenantQuery, tenantScoped, type Tenant } from '#/postgres/tenant-scope.ts'
import type { Log } from '#/telemetry/log.ts'
import { checkRole, settingsFor, type Joins } from '#/postgres/role-settings.ts'
import { observe } from '#/telemetry/metrics.ts'
import { SpanKind, timed, type SpanDescription } from '#/telemetry/spans.ts'

/** Reads int8 as a number. Epoch seconds and cents stay far below 2^53. pg's default is a string, which would break sums. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
}

/** A statement as it is sent. Without a name it is prepared for each execution. */
type Statement = { text: string; name?: string }

const namedStatements = new Map<string, Statement>()
/** Further statements have no name, so that variable texts do not fill the server's memory with plans. */
const MAX_NAMED_STATEMENTS = 500
let namesGiven = 0

/**
 * Returns one name for each text with parameters, so that PostgreSQL plans it once for each connection. This saves 30 % of its CPU.
 */
function namedStatement(text: string): Statement {
  const known = namedStatements.get(text)
  if (known || namedStatements.size >= MAX_NAMED_STATEMENTS) return known ?? { text }
  return nameStatement(text, text)
}

function nameStatement(key: string, text: string): Statement {
  const statement = { text, name: `s${(namesGiven += 1)}` }
  namedStatements.set(key, statement)
  return statement
}

/**
 * "cached plan must not change result type": a replica of a later version has added a column to a table that the statement reads
 * with `*`. The statement had no effect.
 */
const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery'

const summaries = new Map<string, string>()
const TABLES = /\b(insert into|update|delete from|(?<!epoch )from|join)\s+"?([a-z_]+)\b(?!\()/gi
const PARTS = /\b([a-z_]+) as (?:materialized )?\(/gi

/** Returns the operations and tables of a statement: "insert orders, insert sagas". Spans never contain the statement's text. */
function summaryOf(text: string): string {
  const known = summaries.get(text)
  if (known !== undefined) return known
  // `with moved as (…)` and `on conflict do update set` name no table, nor does `extract(epoch from …)`.
  const ignored = new Set(['set', ...Array.from(text.matchAll(PARTS), ([, part]) => part)])
  const done = Array.from(text.matchAll(TABLES), ([, verb = '', table = '']) => {
    const [operation = ''] = verb.toLowerCase().split(' ')
    return ignored.has(table) ? [] : [`${/^(from|join)$/.test(operation) ? 'select' : operation} ${table}`]
  })
  const first = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'query'
  const summary = [...new Set(done.flat())].join(', ').slice(0, 255) || first
  if (summaries.size < MAX_NAMED_STATEMENTS) summaries.set(text, summary)
  return summary
}

/** SQLSTATE of a write at a standby. */
const READ_ONLY = '25006'

/**
 * Whether the pool must not reuse the connection: it hangs, or its server has become a standby. The pool would prefer that
 * connection, because it is free again soonest, until its lifetime ends.
 */
const isBeyondUse = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === 'Query read timeout' || (error as NodeJS.ErrnoException).code === READ_ONLY)

/** A client with named prepared statements. It ends after a query timeout, and after a write at a standby. */
class PlatterClient extends pg.Client {
  protected statementOf(text: string): Statement {
    return namedStatement(text)
  }

  // pg declares ten overloads of `query`. Only (text, values) gets a name.
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args
    const query = (...passed: unknown[]) =>
      (super.query as (...all: unknown[]) => unknown).apply(this, passed) as Promise<unknown> | undefined
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || rest.length > 0)
      return this.#run(text, () => query(...args)) as never
    return this.#runNamed(text, async (statement) =>
      query({ ...statement, values: values as unknown[] }),
    ) as never
  }

  /** Executes a statement as a tenant. The statement's name differs from the owner's, because a plan is valid for one role. */
  queryAsTenant(tenant: Tenant, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    return this.#runNamed(text, ({ name, ...statement }) => {
      const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
      const own = { ...statement, ...(name !== undefined && { name: `for-${name}` }) }
      const config = { ...own, values: [...values] }
      const query = new TenantQuery(tenant, config, (error, result) =>
        error ? reject(error) : resolve(result),
      )
      super.query(query)
      return promise
    })
  }

  /**
   * Executes a statement. If its plan is outdated, it gets a new name, so that all connections prepare it again, and is repeated.
   * Otherwise each replica of the earlier version would fail until its connections are replaced. The text differs by a space,
   * because PgBouncer maps equal texts to one prepared statement.
   */
  async #runNamed<T>(text: string, execute: (statement: Statement) => Promise<T>): Promise<T> {
    const run = (statement: Statement) => this.#run(text, () => execute(statement)) as Promise<T>
    const statement = this.statementOf(text)
    try {
      return await run(statement)
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error
      if (namedStatements.get(text) === statement) nameStatement(text, `${statement.text} `)
      // The error has aborted a transaction.
      if (this.getTransactionStatus() !== 'I') throw error
      return await run(this.statementOf(text))
    }
  }

  #run(text: unknown, query: () => Promise<unknown> | undefined): Promise<unknown> | undefined {
    const result = timed(() => this.#span(text), query)
    if (result instanceof Promise) {
      result.catch((error: unknown) => {
        // With a statement in progress, `end` closes the socket immediately. The pool removes the client when it is released.
        if (isBeyondUse(error)) void this.end()
      })
    }
    return result
  }

  #span(query: unknown): SpanDescription {
    const text = typeof query === 'string' ? query : ((query as { text?: string } | undefined)?.text ?? '')
    const summary = summaryOf(text)
    return {
      name: summary,
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'postgresql',
        'db.namespace': this.database ?? '',
        'db.query.summary': summary,
        'server.address': this.host,
        'server.port': this.port,
      },
    }
  }
}

/**
 * A client for a pooler in transaction mode that does not track prepared statements: PgBouncer before 1.21. Planning each statement
 * again costs a multiple of its execution.
 */
class UnnamedClient extends PlatterClient {
  protected override statementOf(text: string): Statement {
    return { text }
  }
}

/** A pool of connections, a connection or a transaction. Statements are SQL, and declare their rows. */
export type Db = Kysely<unknown>

export type Postgres = {
  /** Access to all rows, as the owner of the tables. */
  db: Db
  /** Access to the rows of one tenant. */
  as: (tenant: Tenant) => Db
  /** Checks readiness. Resolves when the server accepts writes; rejects with the reason. */
  check: () => Promise<void>
  /** Rejects while the job `prepare` of this version has not run. Must be called before any other use of the pool. */
  checkRole: () => Promise<void>
  close: () => Promise<void>
}

type PostgresOptions = { joins?: Joins; statements?: 'named' | 'unnamed' }

/**
 * Creates a pool of at most `max` connections, and Kysely on it. A statement waits up to 4.5 s for a connection and 5 s for its
 * result. An unavailable server causes errors, but never ends the process. No session state outlives a transaction, so a pooler in
 * transaction mode works.
 */
export function connectPostgres(
  url: string,
  max: number,
  log: Log,
  { joins = 'any', statements = 'named' }: PostgresOptions = {},
): Postgres {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: requestTimes.connection,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: 1_800,
    keepAlive: true,
    query_timeout: requestTimes.statement,
    types,
    Client: statements === 'named' ? PlatterClient : UnnamedClient,
  })
  const lost = (error: Error) => log.warn({ reason: error.message }, 'a connection to PostgreSQL was lost')
  pool.on('error', lost)
  // A client in use has no listener. Without one, an error between two statements would end the process.
  pool.on('connect', (client) => client.on('error', lost))
  observePool(pool)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    as: cachedByTenant((tenant) => tenantScoped(pool, tenant)),
    check: async () => {
      const { rows } = await pool.query<{ transaction_read_only: string }>('show transaction_read_only')
      // A standby responds, too, and so does a server whose operator has forbidden writes because its disk is almost full.
      if (rows[0]?.transaction_read_only !== 'off') throw new Error('PostgreSQL accepts no writes')
    },
    checkRole: () => checkRole(pool, settingsFor(joins)),
    close: () => db.destroy(),
  }
}

/** The size of the LRU cache of Kysely objects. Creating one takes as long as a query. */
const MAX_TENANTS = 1_000

function cachedByTenant(create: (tenant: Tenant) => Db): (tenant: Tenant) => Db {
  const cache = new Cache<Db>({ maxEntries: MAX_TENANTS })
  return (tenant) => {
    const key = `${tenant.applicationId} ${tenant.userApiKey ?? ''}`
    const cached = cache.get(key)
    if (cached) return cached
    const db = create(tenant)
    cache.set(key, db)
    return db
  }
}

/** Exports gauges of the pool. Pending requests show slow statements or a pool that is too small. */
function observePool(pool: pg.Pool): void {
  const named = { 'db.client.connection.pool.name': 'postgres' }
  observe(
    ['db.client.connection.count', 'db.client.connection.max', 'db.client.connection.pending_requests'],
    (report) => {
      const { idleCount: idle, totalCount } = pool
      report('db.client.connection.count', idle, { ...named, 'db.client.connection.state': 'idle' })
      report('db.client.connection.count', totalCount - idle, {
        ...named,
        'db.client.connection.state': 'used',
      })
      report('db.client.connection.max', pool.options.max, named)
      report('db.client.connection.pending_requests', pool.waitingCount, named)
    },
  )
}
