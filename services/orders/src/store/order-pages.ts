import { sql, type RawBuilder } from 'kysely'

/**
 * Of a page of orders, and of what a replica holds of it several times while it answers. An order has 100 items with 500
 * characters of comments each, so that a hundred orders can be 9 MB.
 */
export const PAGE_BYTES = 1_000_000

/** A row of a page: how much the rows before it are together, and the id of the row behind it, if there is one. */
type InPage = { bytes_before: number; next_id: number | null }

/**
 * What `InPage` says, for rows in this order. A row's size is that of its details as JSON: stored as it is, or
 * written out where it is compressed, as 90 KB of one letter are 1 KB on disk. PostgreSQL reads details of rows that are
 * over the limit for their size at most; they are never sent.
 */
export const inPage = (inOrder: RawBuilder<unknown>) => {
  const size = sql`case when pg_column_compression(orders.details) is null
    then pg_column_size(orders.details) else octet_length(orders.details::text) end`
  return [
    sql<number>`sum(${size}) over (order by ${inOrder}) - ${size}`.as('bytes_before'),
    sql<number | null>`lead(orders.id) over (order by ${inOrder})`.as('next_id'),
  ] as const
}

/** `hasMore`: there are orders behind the last one, which `limit` or PAGE_BYTES left out. */
export type OrderPage<T> = { orders: T[]; hasMore: boolean }

export const pageOf = <R extends InPage, T>(rows: readonly R[], read: (row: R) => T): OrderPage<T> => ({
  orders: rows.map(read),
  hasMore: (rows.at(-1)?.next_id ?? null) !== null,
})
