import { requestTimes } from '@platter/contracts'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { Cache } from '#/cache/cache.ts'
import { TenantQuery, tenantScoped, type Tenant } from '#/postgres/tenant-scope.ts'
import type { Log } from '#/telemetry/log.ts'
import { observe } from '#/telemetry/metrics.ts'
import { SpanKind, timed, type SpanDescription } from '#/telemetry/spans.ts'

// Epoch seconds and cents come as int8 and stay far below 2^53; as strings they would break every sum.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const statementNames = new Map<string, string>()
/** Texts beyond this are sent unnamed: a text that varies must not fill the server's memory with plans. */
const MAX_NAMED_STATEMENTS = 500

/** One name a text with parameters, so that PostgreSQL plans it once a connection: 30 % of its CPU with kysely. */
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

/** What a statement does to which tables: "insert orders, insert sagas". Its text is long, and may be anything. */
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
 * A client that names its statements, and that is thrown away after a query that timed out: otherwise the
 * pool would lend the hung connection to the next one.
 */
class PlatterClient extends pg.Client {
  // pg declares ten overloads of query; kysely and we use (text, values), and everything else passes through.
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args
    const named =
      typeof text === 'string' && Array.isArray(values) && values.length > 0 && rest.length === 0
        ? [{ text, values: values as unknown[], name: statementName(text) }]
        : args
    return this.#watched(
      text,
      () =>
        (super.query as (...passed: unknown[]) => unknown).apply(this, named) as Promise<unknown> | undefined,
    ) as never
  }

  /** Says a statement on behalf of a client application. Its name is another one: a plan is made for one role. */
  queryFor(caller: Tenant, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const name = statementName(text)
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
    const config = { text, values: [...values], ...(name !== undefined && { name: `for-${name}` }) }
    const query = new TenantQuery(caller, config, (error, result) =>
      error ? reject(error) : resolve(result),
    )
    return this.#watched(text, () => {
      super.query(query)
      return promise
    }) as Promise<pg.QueryResult>
  }

  #watched(text: unknown, say: () => Promise<unknown> | undefined): Promise<unknown> | undefined {
    const result = timed(() => this.#edge(text), say)
    if (result instanceof Promise) {
      result.catch((error: unknown) => {
        if (error instanceof Error && error.message === 'Query read timeout') {
          ;(this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
        }
      })
    }
    return result
  }

  #edge(query: unknown): SpanDescription {
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

export type Postgres<DB> = {
  /** Everything, for what a service does on its own account. */
  db: Kysely<DB>
  /** What one client application may see of it. */
  as: (caller: Tenant) => Kysely<DB>
  /** Resolves when the server answers; rejects with the reason. For readiness. */
  check: () => Promise<void>
  close: () => Promise<void>
}

/**
 * Plans are made while tables are small, and kept while they grow: a join that reads the whole of a small table would
 * read the whole of a large one from then on. So each table of a statement that is shared is asked for the keys by
 * itself as well: the move of a saga read all sagas, 870 of them after 1,800 orders.
 */
export const JOINED_BY_KEY = '-c enable_hashjoin=off -c enable_mergejoin=off'
export const BY_KEY = `${JOINED_BY_KEY} -c enable_seqscan=off`
/**
 * `= any($1)` looks cheaper to PostgreSQL when it is planned anew for each array, which costs more than it takes: 0.33 ms for
 * what a quote reads in 0.12, 0.1 for get-order.
 */
const PLANNED_ONCE = '-c plan_cache_mode=force_generic_plan'

/**
 * A pool of at most `max` connections and kysely on it. Waits 2 s for a connection, 5 s for an answer; a
 * server that goes away costs errors, never the process. `joins` by key for services whose statements find rows by
 * their keys, also many at once.
 */
export function connectPostgres<DB>(
  url: string,
  max: number,
  log: Log,
  { joins = 'any' }: { joins?: 'any' | 'by key' } = {},
): Postgres<DB> {
  const pool = new pg.Pool({
    connectionString: url,
    // The schema has the name of the role; by itself PostgreSQL would look for that of the role that TenantQuery takes.
    options: `-c search_path=${new URL(url).username},public ${PLANNED_ONCE} ${joins === 'by key' ? BY_KEY : ''}`,
    max,
    connectionTimeoutMillis: requestTimes.connection,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: 1_800,
    keepAlive: true,
    query_timeout: requestTimes.statement,
    Client: PlatterClient,
  })
  const lost = (error: Error) => log.warn({ reason: error.message }, 'a connection to PostgreSQL was lost')
  pool.on('error', lost)
  // A client that is checked out has no listener of its own: killed between two statements, it would end the process.
  pool.on('connect', (client) => client.on('error', lost))
  observePool(pool)
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    as: cachedByTenant((tenant) => tenantScoped<DB>(pool, tenant)),
    check: async () => void (await pool.query('select 1')),
    close: () => db.destroy(),
  }
}

/** Creating a Kysely takes as long as a query: each is cached, of the tenants that were used last. */
const MAX_TENANTS = 1_000

function cachedByTenant<DB>(create: (tenant: Tenant) => Kysely<DB>): (tenant: Tenant) => Kysely<DB> {
  const cache = new Cache<Kysely<DB>>({ maxEntries: MAX_TENANTS })
  return (tenant) => {
    const key = `${tenant.applicationId} ${tenant.userApiKey ?? ''}`
    const db = cache.get(key) ?? create(tenant)
    cache.set(key, db)
    return db
  }
}

/** Whoever waits for a connection waits for a request of ours that is too slow, or for a pool that is too small. */
function observePool(pool: pg.Pool): void {
  const named = { 'db.client.connection.pool.name': 'postgres' }
  const count = (state: string, value: number) => ({
    value,
    attributes: { ...named, 'db.client.connection.state': state },
  })
  observe(
    {
      'db.client.connection.count': {
        unit: '{connection}',
        description: 'Connections to PostgreSQL, by state.',
      },
      'db.client.connection.max': {
        unit: '{connection}',
        description: 'Connections that there may be at most.',
      },
      'db.client.connection.pending_requests': {
        unit: '{request}',
        description: 'Statements that wait for a connection.',
      },
    },
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
