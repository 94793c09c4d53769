import { randomBytes } from 'node:crypto'
import { newApiKey } from '@platter/kit'
import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { OrderDetails, PlacedOrder } from '#/domain/order.ts'
import { PAGE_BYTES, type OrderPage } from '#/store/order-pages.ts'
import { postgresStores } from '#/store/stores.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const user = newApiKey()
const { db } = await migratedDatabase('orders')
const stores = postgresStores(db)
let restaurant: string

const detailsWith = (comments: string): OrderDetails => ({ ...pricedOrder().details, comments })

/** Replaces all orders by these, of one user at one restaurant, the oldest first. */
async function replaceOrders(comments: readonly string[]): Promise<string[]> {
  restaurant = newApiKey()
  await sql`delete from orders`.execute(db)
  const rows = comments.map((text) => ({ api_key: newApiKey(), details: detailsWith(text) }))
  await sql`
    insert into orders (api_key, application_id, recipient_api_key, restaurant_api_key, method, payment, test, total, status,
      payment_state, details)
    select api_key, 'an-application', ${user}, ${restaurant}, 'pickup', 'cash', false, 0, 'AWAITING_PREPARATION', 'DUE', details
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (api_key text, details jsonb)`.execute(
    db,
  )
  // Event streams of restaurants read only changed orders.
  await sql`update orders set outcome = 'transmitted'`.execute(db)
  return rows.map(({ api_key: apiKey }) => apiKey)
}

type Limits = { limit: number; from: number | null }
type Reader = (limits: Limits) => Promise<OrderPage<PlacedOrder>>

const LISTS: readonly [string, 'newest first' | 'oldest first', Reader][] = [
  [
    "a user's orders",
    'newest first',
    ({ limit, from }) => stores.orders.ofRecipient(user, { before: from, limit }),
  ],
  ...[true, false].map((open): [string, 'newest first', Reader] => [
    open ? "a restaurant's open orders" : "a restaurant's orders",
    'newest first',
    ({ limit, from }) => stores.restaurantOrders.list(restaurant, { open, before: from, limit }),
  ]),
  ...[null, '1'].map((since): [string, 'oldest first', Reader] => [
    since === null ? 'the open orders of a stream' : 'the changed orders of a stream',
    'oldest first',
    ({ limit, from }) =>
      stores.restaurantOrders.changed(restaurant, { since, whole: since === null, after: from ?? 0, limit }),
  ]),
]

/** Reads all pages of a list. */
async function readPages(read: Reader, limit: number): Promise<PlacedOrder[][]> {
  const all: PlacedOrder[][] = []
  for (let from: number | null = null; ;) {
    const { orders: page, hasMore } = await read({ limit, from })
    all.push(page)
    if (!hasMore) return all
    from = page.at(-1)?.id ?? null
  }
}

const bytesOf = (page: readonly PlacedOrder[]) =>
  page.reduce((sum, { details }) => sum + Buffer.byteLength(JSON.stringify(details)), 0)

const LARGEST = 90_000
/** PostgreSQL compresses the first text to a hundredth, and stores the second one uncompressed. */
const TEXTS = {
  'of one letter': () => 'x'.repeat(LARGEST),
  'that cannot be compressed': () => randomBytes(LARGEST / 2).toString('hex'),
}

describe.each(Object.entries(TEXTS))('30 orders with texts %s', (_, text) => {
  let placed: string[]
  beforeAll(async () => {
    placed = await replaceOrders(Array.from({ length: 30 }, text))
  })

  test.each(LISTS)(
    'pages of %s list all orders, each at most 1 MB plus 1 order',
    async (_name, order, read) => {
      const found = await readPages(read, 100)
      expect(found.flat().map(({ apiKey }) => apiKey)).toEqual(
        order === 'newest first' ? placed.toReversed() : placed,
      )
      expect(found.map(({ length }) => length)).toEqual([12, 12, 6])
      for (const page of found) expect(bytesOf(page)).toBeLessThan(PAGE_BYTES + LARGEST + 1_000)
    },
  )
})

/** Returns the number of orders on each page of each list. */
const pagesOfLists = (limit: number) =>
  Promise.all(LISTS.map(async ([, , read]) => (await readPages(read, limit)).map(({ length }) => length)))
const inEachList = (pages: readonly number[]) => LISTS.map(() => pages)

test('a page has as many small orders as its limit, and at least one large order', async () => {
  await replaceOrders(Array.from({ length: 7 }, () => 'no onions'))
  expect(await pagesOfLists(3)).toEqual(inEachList([3, 3, 1]))
  expect(await pagesOfLists(7)).toEqual(inEachList([7]))
  await replaceOrders(Array.from({ length: 3 }, () => 'x'.repeat(2 * PAGE_BYTES)))
  expect(await pagesOfLists(100)).toEqual(inEachList([1, 1, 1]))
  await sql`delete from orders`.execute(db)
  expect(await pagesOfLists(100)).toEqual(inEachList([0]))
})
