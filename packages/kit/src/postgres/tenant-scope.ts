import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'

/**
 * Whom a statement is for: a client application, and the user that it asks about, once somebody who knows has said
 * that the user is one of its own.
 */
export type Tenant = { applicationId: string; userApiKey?: string | undefined }

/** A client of the pool that can say a statement on behalf of somebody. */
export type Acting = pg.PoolClient & {
  queryFor: (caller: Tenant, text: string, values: readonly unknown[]) => Promise<pg.QueryResult>
}

/**
 * What the database is told before a statement: whom it is for, and that it is said in the role that owns nothing
 * (dev/servers/database.ts makes it), so that row-level security holds. `true`: until the end of the transaction,
 * and so never for the next one who borrows the connection.
 */
const ACT = `select set_config('role', session_user || '_client', true),
  set_config('platter.application', $1, true), set_config('platter.user', $2, true)`
const ACT_NAME = 'act'

/** As much of pg's connection as a query uses; pg-cursor uses the same. */
type Connection = {
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: readonly string[] }): void
  execute(message: object): void
  stream: { destroy(): void }
  /** The texts of statements that are prepared, by name. */
  parsedStatements: Record<string, string>
}

type Message = object
/** pg declares less of its Query than there is. */
const Query = pg.Query as unknown as new (
  config: pg.QueryConfig,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => pg.Submittable & {
  name: string | undefined
  prepare(connection: Connection): void
  handleDataRow(message: Message): void
  handleCommandComplete(message: Message, connection: Connection): void
  handleError(error: Error, connection: Connection): void
}

/** Connections that have `ACT` prepared. */
const taught = new WeakSet<Connection>()

/**
 * A statement with `ACT` before it, in one packet with one Sync: one transaction of both, in this order, and no
 * round trip more. (A function or a view with a parameter would have to be written for each query, and in one
 * statement PostgreSQL promises no order.)
 */
export class TenantQuery extends Query {
  readonly #caller: Tenant
  #acts = false

  constructor(
    caller: Tenant,
    config: pg.QueryConfig,
    callback: (error: Error | null, result: pg.QueryResult) => void,
  ) {
    super(config, callback)
    this.#caller = caller
  }

  /** Always by the extended protocol: a text without parameters would be sent in another way, without `prepare`. */
  requiresPreparation(): boolean {
    return true
  }

  override prepare(connection: Connection): void {
    if (!taught.has(connection)) connection.parse({ name: ACT_NAME, text: ACT })
    const { applicationId, userApiKey = '' } = this.#caller
    connection.bind({ statement: ACT_NAME, values: [applicationId, userApiKey] })
    connection.execute({})
    super.prepare(connection)
  }

  override handleDataRow(message: Message): void {
    if (this.#acts) super.handleDataRow(message)
  }

  override handleCommandComplete(message: Message, connection: Connection): void {
    if (this.#acts) return super.handleCommandComplete(message, connection)
    this.#acts = true
    if (taught.has(connection)) return
    taught.add(connection)
    // pg took the news that `ACT` is prepared for that of this statement, whose own is yet to come.
    if (this.name !== undefined) delete connection.parsedStatements[this.name]
  }

  /** Without `ACT` nothing was said, and pg may know the wrong thing of the connection: it is thrown away. */
  override handleError(error: Error, connection: Connection): void {
    if (!this.#acts) connection.stream.destroy()
    super.handleError(error, connection)
  }
}

/** Rejects while there is no such role: `prepare` of this version has not run yet, and no client can be served. */
export async function checkTenantRole<DB>(own: Kysely<DB>): Promise<void> {
  await sql`select 1`.execute(own)
}

const OF_TRANSACTIONS = /^(begin|start transaction|commit|rollback|savepoint|release)\b/

/**
 * The database as one client application may see it: whatever is asked there, rows of others are not there, and
 * cannot be written. Where a policy names the application (`platter.application`) or the user
 * (`platter.user`) only; a table without one has no rows. For everything that is read or written because a client
 * named it. docs/decisions/0020-row-level-security.md lists the exceptions.
 */
export function tenantScoped<DB>(pool: pg.Pool, caller: Tenant): Kysely<DB> {
  const connect = async () => {
    const client = (await pool.connect()) as Acting
    return {
      query: (text: string, values: readonly unknown[]) =>
        OF_TRANSACTIONS.test(text) ? client.query(text) : client.queryFor(caller, text, values),
      release: (error?: Error | boolean) => client.release(error),
    }
  }
  const borrowed = { connect, end: async () => undefined, options: pool.options }
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: borrowed as never }) })
}
