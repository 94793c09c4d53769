import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

/*
 * Tenant-scoped connections. This is the only file that uses internals of pg: `prepare`, `handleDataRow`, `handleCommandComplete`
 * and `handleError` of pg.Query, and `parse`, `bind`, `execute`, `stream` and `parsedStatements` of its connection (8.23).
 *
 * Upgrade note: after an upgrade of pg run tests/deploy/own-rows.stack.test.ts. It fails if a statement is executed without its
 * tenant, or if two statements are no longer one transaction. Without these internals, each statement needs three more: begin,
 * set_config and commit.
 */

/** A client application and, after an ownership check, the user of the request. */
export type Tenant = { applicationId: string; userApiKey?: string | undefined }

/** A client of the pool with tenant-scoped statements. */
type TenantClient = pg.PoolClient & {
  queryAsTenant: (tenant: Tenant, text: string, values: readonly unknown[]) => Promise<pg.QueryResult>
}

/**
 * Sets the tenant and a role that owns no table (dev/servers/database.ts creates it), so that row-level security applies. `true`
 * limits the settings to the transaction, so the next statement on the connection does not inherit them.
 */
const SET_TENANT = `select set_config('role', session_user || '_client', true),
  set_config('platter.application', $1, true), set_config('platter.user', $2, true)`
const SET_TENANT_NAME = 'act'

/** The part of pg's connection that a query uses; pg-cursor uses the same. */
type Connection = {
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: readonly string[] }): void
  execute(message: object): void
  stream: { destroy(): void }
  /** The texts of the prepared statements, by name. */
  parsedStatements: Record<string, string>
}

type Message = object
/** The type declarations of pg lack these members. */
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

/** Connections on which `SET_TENANT` is prepared. */
const prepared = new WeakSet<Connection>()

/**
 * Sends `SET_TENANT` and a statement in one packet with one Sync. Both are one transaction, in this order, in one round trip.
 * PostgreSQL guarantees no order within one statement, so the alternative is a function or a view for each query.
 */
export class TenantQuery extends Query {
  readonly #tenant: Tenant
  #isTenantSet = false

  constructor(
    tenant: Tenant,
    config: pg.QueryConfig,
    callback: (error: Error | null, result: pg.QueryResult) => void,
  ) {
    super(config, callback)
    this.#tenant = tenant
  }

  /** Forces the extended protocol. pg does not call `prepare` for a statement without parameters. */
  requiresPreparation(): boolean {
    return true
  }

  override prepare(connection: Connection): void {
    // Unnamed statements are for a pooler, whose next session may not have prepared SET_TENANT.
    const name = this.name === undefined ? '' : SET_TENANT_NAME
    if (name === '' || !prepared.has(connection)) connection.parse({ name, text: SET_TENANT })
    const { applicationId, userApiKey = '' } = this.#tenant
    connection.bind({ statement: name, values: [applicationId, userApiKey] })
    connection.execute({})
    super.prepare(connection)
  }

  override handleDataRow(message: Message): void {
    if (this.#isTenantSet) super.handleDataRow(message)
  }

  override handleCommandComplete(message: Message, connection: Connection): void {
    if (this.#isTenantSet) return super.handleCommandComplete(message, connection)
    this.#isTenantSet = true
    if (this.name === undefined || prepared.has(connection)) return
    prepared.add(connection)
    // pg handled the completion of `SET_TENANT` as the completion of this statement, and marked it as prepared too early.
    delete connection.parsedStatements[this.name]
  }

  /** If `SET_TENANT` fails, the statement had no effect. pg's state of the connection may be wrong, so the connection is closed. */
  override handleError(error: Error, connection: Connection): void {
    if (!this.#isTenantSet) connection.stream.destroy()
    super.handleError(error, connection)
  }
}

const TRANSACTION_CONTROL = /^(begin|start transaction|commit|rollback|savepoint|release)\b/

/**
 * Returns the database of one tenant: statements can neither read nor write rows of other tenants. Policies compare
 * `platter.application` and `platter.user`; a table without a policy appears empty. All reads and writes of objects that a client
 * names use it. docs/decisions/0020-row-level-security.md lists the exceptions.
 */
export function tenantScoped(pool: pg.Pool, tenant: Tenant): Kysely<unknown> {
  const connect = async () => {
    const client = (await pool.connect()) as TenantClient
    return {
      query: (text: string, values: readonly unknown[]) =>
        TRANSACTION_CONTROL.test(text) ? client.query(text) : client.queryAsTenant(tenant, text, values),
      release: (error?: Error | boolean) => client.release(error),
    }
  }
  const borrowed = { connect, end: async () => undefined, options: pool.options }
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool: borrowed as never }) })
}
