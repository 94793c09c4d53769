import { sql } from 'kysely'
import type { Db } from '#/store/tables.ts'

/**
 * A position among all changes: every transaction below it is over, so whoever has read the rows after asking for
 * it has seen what they did. A decimal number (xid8).
 */
export type Position = string

export async function position(db: Db): Promise<Position> {
  const { rows } = await sql<{
    position: Position
  }>`select pg_snapshot_xmin(pg_current_snapshot()) as position`.execute(db)
  if (!rows[0]) throw new Error('PostgreSQL gave no snapshot')
  return rows[0].position
}

/** Whether everything that this transaction did is below the position. */
export const isBelow = (changedIn: Position | null, limit: Position): boolean =>
  changedIn === null || BigInt(changedIn) < BigInt(limit)

/** Orders that have changed from the position on. The index has the bucket, and the row decides. */
export const changedSince = (since: Position) =>
  sql<boolean>`(orders.changed_bucket >= bucket_of(${since}) and orders.changed_in >= ${since})`

/** Which of the orders, and of the restaurants by an order that they have, have changed from the position on. */
export async function movedSince(
  db: Db,
  since: Position,
  { orders, restaurants }: { orders: readonly string[]; restaurants: readonly string[] },
): Promise<{ position: Position; orders: string[]; restaurants: string[] }> {
  const { rows } = await sql<{ position: Position; orders: string[]; restaurants: string[] }>`
    select pg_snapshot_xmin(pg_current_snapshot()) as position,
      array(select api_key from orders where api_key = any(${orders}) and changed_in >= ${since}) as orders,
      array(select distinct restaurant_api_key from orders
        where restaurant_api_key = any(${restaurants}) and outcome = 'transmitted' and ${changedSince(since)}
      ) as restaurants`.execute(db)
  if (!rows[0]) throw new Error('PostgreSQL gave no snapshot')
  return rows[0]
}

/** The restaurants of the orders. */
export async function restaurantsOf(db: Db, orderApiKeys: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('orders')
    .select('restaurant_api_key')
    .distinct()
    .where('api_key', '=', sql<string>`any(${orderApiKeys})`)
    .execute()
  return rows.map((row) => row.restaurant_api_key)
}
