import { requestTimes } from '@platter/contracts'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { Cache } from '#/cache/cache.ts'
import { TenantQuery, tenantScoped, type Tenant } from '#/postgres/tenant-scope.ts'
import type { Log } from '#/telemetry/log.ts'
import { applyRoleSettings, settingsFor, type Joins } from '#/postgres/role-settings.ts'
import { observe } from '#/telemetry/metrics.ts'
import { SpanKind, timed, type SpanDescription } from '#/telemetry/spans.ts'

/** Epoch seconds and cents are int8 and stay far below 2^53. As strings, the default, they would break every sum. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
}

const statementNames = new Map<string, string>()
/** Further texts are sent without a name: a text that varies must not fill the server's memory with plans. */
const MAX_NAMED_STATEMENTS = 500

/** One name for each text with parameters, so that PostgreSQL plans it once for each connection: saves 30 % of its CPU. */
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

/** The operations and tables of a statement: "insert orders, insert sagas". Spans never contain its text. */
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

/** A client that prepares its statements by name, and ends after a query timeout: the pool would lend the hung connection again. */
class PlatterClient extends pg.Client {
  /** The name of a statement; undefined when it is prepared again for each execution. */
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

  /** Executes a statement as a tenant. Its name differs from that of the same text as owner: a plan is for one role. */
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
        // With a statement in progress, `end` closes the socket at once. The pool drops the client when it is released.
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
 * For a pooler that lends a session to one transaction at a time, and does not track prepared statements: PgBouncer before 1.21.
 * Planning each statement again costs a multiple of its execution.
 */
class UnnamedClient extends PlatterClient {
  protected override nameOf(): undefined {
    return undefined
  }
}

export type Postgres<DB> = {
  /** All rows, as the owner of the tables. */
  db: Kysely<DB>
  /** The rows that one tenant may see. */
  as: (tenant: Tenant) => Kysely<DB>
  /** For readiness: resolves when the server responds; rejects with the reason. */
  check: () => Promise<void>
  /** Stores the session settings of the role, before anything else uses the pool. Rejects while sessions lack them. */
  prepareRole: () => Promise<void>
  close: () => Promise<void>
}

type PostgresOptions = { joins?: Joins; statements?: 'named' | 'unnamed' }

/**
 * A pool of at most `max` connections, and kysely on it. Waits 2 s for a connection and 5 s for a result. An unavailable server causes
 * errors, and never ends the process. No state of a session outlives a transaction, so that a pooler may lend the sessions.
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
  // A borrowed client has no listener: an error between two statements would end the process.
  pool.on('connect', (client) => client.on('error', lost))
  observePool(pool)
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    as: cachedByTenant((tenant) => tenantScoped<DB>(pool, tenant)),
    check: async () => void (await pool.query('select 1')),
    prepareRole: () => applyRoleSettings(pool, settingsFor(joins)),
    close: () => db.destroy(),
  }
}

/** Creating a Kysely takes as long as a query: each is cached, of the tenants that were used last. */
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

/** Statements wait for a connection when statements are slow or the pool is small. */
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
