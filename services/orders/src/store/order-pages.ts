import type { Db } from '@platter/kit'
import { sql, type RawBuilder } from 'kysely'
import { z } from 'zod'

/**
 * The size limit of a page. A replica has several copies of a page in memory while it responds. An order has up to 100 items with
 * 500 characters of comments each, so a hundred orders can have 9 MB.
 */
export const PAGE_BYTES = 1_000_000

/** The position in the cursor of a page: the id of the previous page's last order. */
export const LastOrderId = z.int()

/**
 * The size of a row: the length of its details as JSON text. Compressed details (90 KB of one letter are 1 KB on disk) count with their
 * full length.
 */
const SIZE = sql`case when pg_column_compression(orders.details) is null
  then pg_column_size(orders.details) else octet_length(orders.details::text) end`

/** The total size of the rows before it, and the id of the next row, if any. */
type InPage = { bytes_before: number; next_id: number | null }

/** `hasMore`: more orders exist than `limit` or PAGE_BYTES allow. */
export type OrderPage<T> = { orders: T[]; hasMore: boolean }

export const NEWEST_FIRST = sql`desc`
export const OLDEST_FIRST = sql`asc`

/** Matches the orders after the previous page, newest first; null for the first page. */
export const isBefore = (id: number | null) => (id === null ? sql`true` : sql`orders.id < ${id}`)

/** `from`: the tables and the condition. `id`: the expression by which the rows are in order. */
type Selection<Row> = {
  columns: RawBuilder<Row>
  from: RawBuilder<unknown>
  id?: RawBuilder<unknown>
  direction: RawBuilder<unknown>
  limit: number
}

/** Reads a page of orders, up to PAGE_BYTES. PostgreSQL sends no rows over that limit. */
export async function readPage<Row>(
  db: Db,
  { columns, from, id = sql`orders.id`, direction, limit }: Selection<Row>,
): Promise<OrderPage<Row>> {
  const inOrder = sql`order by ${id} ${direction}`
  const { rows } = await sql<Row & InPage>`
    select * from (
      select ${columns}, sum(${SIZE}) over (${inOrder}) - ${SIZE} as bytes_before, lead(orders.id) over (${inOrder}) as next_id
      from ${from} ${inOrder} limit ${limit}) as page
    where bytes_before < ${PAGE_BYTES} order by id ${direction}`.execute(db)
  return { orders: rows, hasMore: (rows.at(-1)?.next_id ?? null) !== null }
}
