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

const statementNames = new Map<string, string>()
/** Further statements have no name, so that variable texts do not fill the server's memory with plans. */
const MAX_NAMED_STATEMENTS = 500

/**
 * Returns one name for each text with parameters, so that PostgreSQL plans it once for each connection. This saves 30 % of its CPU.
 */
function statementName(text: string): string | undefined {
  const known = statementNames.get(text)
  if (known !== undefined || statementNames.size >= MAX_NAMED_STATEMENTS) return known
  const name = `s${statementNames.size}`
  statementNames.set(text, name)
  return name
}

const summaries = new Map<string, string>()
const TABLES = /\b(insert into|update|delete from|from|join)\s+"?([a-z_]+)\b(?!\()/gi
const PARTS = /\b([a-z_]+) as (?:materialized )?\(/gi

/** Returns the operations and tables of a statement: "insert orders, insert sagas". Spans never contain the statement's text. */
function summaryOf(text: string): string {
  const known = summaries.get(text)
  if (known !== undefined) return known
  // `with moved as (…)`, `extract(epoch from now())` and `on conflict do update set` name no table.
  const ignored = new Set(['now', 'set', ...Array.from(text.matchAll(PARTS), ([, part]) => part)])
  const done = Array.from(text.matchAll(TABLES), ([, verb = '', table = '']) => {
    const [operation = ''] = verb.toLowerCase().split(' ')
    return ignored.has(table) ? [] : [`${/^(from|join)$/.test(operation) ? 'select' : operation} ${table}`]
  })
  const first = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'query'
  const summary = [...new Set(done.flat())].join(', ').slice(0, 255) || first
  if (summaries.size < MAX_NAMED_STATEMENTS) summaries.set(text, summary)
  return summary
}

/**
 * A client with named prepared statements. It ends after a query timeout, because the pool would otherwise reuse the hung
 * connection.
 */
class PlatterClient extends pg.Client {
  /** Returns the name of a statement; undefined if it is prepared for each execution. */
  protected nameOf(text: string): string | undefined {
    return statementName(text)
  }

  // pg declares ten overloads of `query`. Only (text, values) gets a name.
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args
    const named =
      typeof text === 'string' && Array.isArray(values) && values.length > 0 && rest.length === 0
        ? [{ text, values: values as unknown[], name: this.nameOf(text) }]
        : args
    return this.#run(
      text,
      () =>
        (super.query as (...passed: unknown[]) => unknown).apply(this, named) as Promise<unknown> | undefined,
    ) as never
  }

  /** Executes a statement as a tenant. The statement's name differs from the owner's, because a plan is valid for one role. */
  queryAsTenant(tenant: Tenant, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const name = this.nameOf(text)
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
    const config = { text, values: [...values], ...(name !== undefined && { name: `for-${name}` }) }
    const query = new TenantQuery(tenant, config, (error, result) =>
      error ? reject(error) : resolve(result),
    )
    return this.#run(text, () => {
      super.query(query)
      return promise
    }) as Promise<pg.QueryResult>
  }

  #run(text: unknown, query: () => Promise<unknown> | undefined): Promise<unknown> | undefined {
    const result = timed(() => this.#span(text), query)
    if (result instanceof Promise) {
      result.catch((error: unknown) => {
        // With a statement in progress, `end` closes the socket immediately. The pool removes the client when it is released.
        if (error instanceof Error && error.message === 'Query read timeout') void this.end()
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
  protected override nameOf(): undefined {
    return undefined
  }
}

export type Postgres<DB> = {
  /** Access to all rows, as the owner of the tables. */
  db: Kysely<DB>
  /** Access to the rows of one tenant. */
  as: (tenant: Tenant) => Kysely<DB>
  /** Checks readiness. Resolves when the server responds; rejects with the reason. */
  check: () => Promise<void>
  /** Rejects while the job `prepare` of this version has not run. Must be called before any other use of the pool. */
  checkRole: () => Promise<void>
  close: () => Promise<void>
}

type PostgresOptions = { joins?: Joins; statements?: 'named' | 'unnamed' }

/**
 * Creates a pool of at most `max` connections, and Kysely on it. A statement waits up to 2 s for a connection and 5 s for its
 * result. An unavailable server causes errors, but never ends the process. No session state outlives a transaction, so a pooler in
 * transaction mode works.
 */
export function connectPostgres<DB>(
  url: string,
  max: number,
  log: Log,
  { joins = 'any', statements = 'named' }: PostgresOptions = {},
): Postgres<DB> {
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
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    as: cachedByTenant((tenant) => tenantScoped<DB>(pool, tenant)),
    check: async () => void (await pool.query('select 1')),
    checkRole: () => checkRole(pool, settingsFor(joins)),
    close: () => db.destroy(),
  }
}

/** The size of the LRU cache of Kysely objects. Creating one takes as long as a query. */
const MAX_TENANTS = 1_000

function cachedByTenant<DB>(create: (tenant: Tenant) => Kysely<DB>): (tenant: Tenant) => Kysely<DB> {
  const cache = new Cache<Kysely<DB>>({ maxEntries: MAX_TENANTS })
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
  const count = (state: string, value: number) => ({
    value,
    attributes: { ...named, 'db.client.connection.state': state },
  })
  observe(
    ['db.client.connection.count', 'db.client.connection.max', 'db.client.connection.pending_requests'],
    () => ({
      'db.client.connection.count': [
        count('idle', pool.idleCount),
        count('used', pool.totalCount - pool.idleCount),
      ],
      'db.client.connection.max': [{ value: pool.options.max, attributes: named }],
      'db.client.connection.pending_requests': [{ value: pool.waitingCount, attributes: named }],
    }),
  )
}
