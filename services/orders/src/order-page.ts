import { nextPage, readCursor, type Call } from '@platter/kit'
import type { UserOrders } from '@platter/contracts'
import { LastOrderId, type OrderPage } from '#/store/order-pages.ts'

type PageCall = Pick<Call<typeof UserOrders>, 'query' | 'url' | 'setHeader'>
type Range = { before: number | null; limit: number }

/** Returns a page of orders, and sets a `Link` header to the next page. Throws Problem invalid-field for an invalid cursor. */
export async function orderPage<T extends { id: number }>(
  { query: { limit, cursor }, url, setHeader }: PageCall,
  read: (range: Range) => Promise<OrderPage<T>>,
): Promise<T[]> {
  const { orders, hasMore } = await read({ before: readCursor(cursor, LastOrderId), limit })
  if (hasMore) setHeader('link', nextPage(url, orders.at(-1)?.id))
  return orders
}
