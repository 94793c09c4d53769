import { sql, type Expression, type RawBuilder } from 'kysely'
import { z } from 'zod'
import type { Db } from '#/store/tables.ts'

/**
 * The size limit of a page. A replica has several copies of a page in memory while it responds. An order has up to 100 items with
 * 500 characters of comments each, so a hundred orders can have 9 MB.
 */
export const PAGE_BYTES = 1_000_000

/** The position in the cursor of a page: the id of the previous page's last order. */
export const LastOrderId = z.int()

/** A row of a page: the total size of the rows before it, and the id of the next row, if any. */
type InPage = { bytes_before: number; next_id: number | null }

/**
 * Selects the columns of `InPage`, for rows in this order. The size of a row is the length of its details as JSON text. Compressed
 * details (90 KB of one letter are 1 KB on disk) count with their full length. PostgreSQL sends no rows over the limit.
 */
export const inPage = (inOrder: RawBuilder<unknown>) => {
  const size = sql`case when pg_column_compression(orders.details) is null
    then pg_column_size(orders.details) else octet_length(orders.details::text) end`
  return [
    sql<number>`sum(${size}) over (order by ${inOrder}) - ${size}`.as('bytes_before'),
    sql<number | null>`lead(orders.id) over (order by ${inOrder})`.as('next_id'),
  ] as const
}

/** `hasMore`: more orders exist than `limit` or PAGE_BYTES allow. */
export type OrderPage<T> = { orders: T[]; hasMore: boolean }

/** Reads the rows of a query with the columns of `inPage`, up to PAGE_BYTES. */
export async function readPage<R extends InPage, T>(
  db: Db,
  page: Expression<R>,
  inOrder: RawBuilder<unknown>,
  read: (row: R) => T,
): Promise<OrderPage<T>> {
  const { rows } = await sql<R>`
    select * from ${page} as page where bytes_before < ${PAGE_BYTES} order by ${inOrder}`.execute(db)
  return { orders: rows.map(read), hasMore: (rows.at(-1)?.next_id ?? null) !== null }
}
