import { sql } from 'kysely'
import { PostgresStore } from '#/store/postgres-store.ts'

/**
 * A position in the order of all changes. Every transaction below it has ended, so a later read includes its changes. A decimal
 * number (xid8).
 */
export type Position = string

/** Returns whether the transaction is below the position. */
export const isBelow = (changedIn: Position | null, limit: Position): boolean =>
  changedIn === null || BigInt(changedIn) < BigInt(limit)

/** Matches orders that have changed since the position. The index finds the bucket; the row's own column decides. */
export const hasChangedSince = (since: Position) =>
  sql<boolean>`(orders.changed_bucket >= bucket_of(${since}) and orders.changed_in >= ${since})`

/** The keys of orders and restaurants. */
type Changed = { orders: readonly string[]; restaurants: readonly string[] }

/** Positions in the order of all changes, and the changes since a position. */
export class PostgresChanges extends PostgresStore {
  async position(): Promise<Position> {
    const { rows } = await sql<{
      position: Position
    }>`select pg_snapshot_xmin(pg_current_snapshot()) as position`.execute(this.db)
    if (!rows[0]) throw new Error('PostgreSQL returned no snapshot')
    return rows[0].position
  }

  /** Returns which of the given orders and restaurants have changed since the position. */
  async changedSince(since: Position, { orders, restaurants }: Changed): Promise<Changed> {
    const { rows } = await sql<Changed>`
    select array(select api_key from orders where api_key = any(${orders}) and changed_in >= ${since}) as orders,
      array(select distinct restaurant_api_key from orders
        where restaurant_api_key = any(${restaurants}) and outcome = 'transmitted' and ${hasChangedSince(since)}
      ) as restaurants`.execute(this.db)
    return rows[0] ?? { orders, restaurants }
  }
}
