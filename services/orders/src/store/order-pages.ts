import { sql, type RawBuilder } from 'kysely'

/**
 * The size limit of a page, which a replica holds several times while it responds. An order has up to 100 items with 500
 * characters of comments each, so a hundred orders can have 9 MB.
 */
export const PAGE_BYTES = 1_000_000

/** A row of a page: the size of the rows before it, and the id of the row after it, if any. */
type InPage = { bytes_before: number; next_id: number | null }

/**
 * The columns of `InPage`, for rows in this order. The size of a row is that of its details as JSON text: compressed details (90 KB
 * of one letter are 1 KB on disk) count with their full length. PostgreSQL sends no rows over the limit.
 */
export const inPage = (inOrder: RawBuilder<unknown>) => {
  const size = sql`case when pg_column_compression(orders.details) is null
    then pg_column_size(orders.details) else octet_length(orders.details::text) end`
  return [
    sql<number>`sum(${size}) over (order by ${inOrder}) - ${size}`.as('bytes_before'),
    sql<number | null>`lead(orders.id) over (order by ${inOrder})`.as('next_id'),
  ] as const
}

/** `hasMore`: there are more orders than `limit` or PAGE_BYTES allow. */
export type OrderPage<T> = { orders: T[]; hasMore: boolean }

export const pageOf = <R extends InPage, T>(rows: readonly R[], read: (row: R) => T): OrderPage<T> => ({
  orders: rows.map(read),
  hasMore: (rows.at(-1)?.next_id ?? null) !== null,
})
