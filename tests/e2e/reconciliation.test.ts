import { Reconciliation, type FoundOrder, type Mismatch } from '@platter/contracts'
import { expect, test } from 'vitest'
import { withClient } from '../../dev/servers/database.ts'
import { newEmail } from './accounts.ts'
import {
  anOrder,
  card,
  cardNumbers,
  seedRestaurants,
  maria,
  operator,
  sendOrder,
  type ProblemBody,
  sagaEnded,
  paidByCard,
  expectConforms,
} from './client.ts'
import { plant } from './planted.ts'
import { ownStack } from './stack.ts'

type Report = {
  complete: boolean
  counts: Record<string, number>
  mismatches: Mismatch[]
} & ProblemBody

const reconcile = (since: number) => operator<Report>('GET', `reconciliation?since=${since}`)
const beginning = Math.floor(Date.now() / 1000)

const mismatchesOf = async (orderApiKey: string): Promise<Mismatch[]> => {
  const { body } = await reconcile(beginning)
  return body.mismatches.filter((one) => one.orderApiKey === orderApiKey)
}

test('200: no mismatches for cash, card, test, declined and refused orders', async () => {
  const since = Math.floor(Date.now() / 1000)
  // Other tests of the same run plant mismatches, so the orders of this test have an e-mail address of their own.
  const email = newEmail('reconciled')
  const place = async (restaurant: string, changes: object) =>
    (await sendOrder(await anOrder(restaurant, { ...changes, recipient: { ...maria, email } }))).status
  const byCard = { payment: 'card', card: card() }
  expect(await place(seedRestaurants.aurora, {})).toBe(200)
  expect(await place(seedRestaurants.aurora, byCard)).toBe(200)
  expect(await place(seedRestaurants.test, { ...byCard, test: true })).toBe(200)
  expect(await place(seedRestaurants.aurora, { ...byCard, card: card(cardNumbers.declined) })).toBe(402)
  expect(await place(seedRestaurants.refuses, byCard)).toBe(422)
  const { body: placed } = await operator<FoundOrder[]>('GET', `orders?email=${email}`)
  const apiKeys = placed.map(({ apiKey }) => apiKey)
  expect(apiKeys).toHaveLength(5)
  for (const apiKey of apiKeys) await sagaEnded(apiKey ?? '')
  const { status, body } = await reconcile(since)
  expect(status).toBe(200)
  expectConforms(Reconciliation, body)
  expect(body.mismatches.filter(({ orderApiKey }) => apiKeys.includes(orderApiKey))).toEqual([])
  expect(body.complete).toBe(true)
  expect(body.counts['orders']).toBeGreaterThanOrEqual(5)
  expect(body.counts['charged']).toBeGreaterThanOrEqual(1)
  expect(body.counts['charges']).toBeGreaterThanOrEqual(2)
})

const deletePayment = (key: string) =>
  plant('delete from payments.authorizations where order_api_key = $1', key)

/** Locks the row first, because the restaurant may report at the same time, and each status inserts another row. */
async function deleteOrder(orderApiKey: string): Promise<void> {
  await withClient(ownStack().urls.postgres, async (client) => {
    await client.query('begin')
    await client.query('select from orders.orders where api_key = $1 for update', [orderApiKey])
    for (const table of ['idempotency_keys', 'deliveries', 'sagas', 'order_statuses'])
      await client.query(`delete from orders.${table} where order_api_key = $1`, [orderApiKey])
    await client.query('delete from orders.orders where api_key = $1', [orderApiKey])
    await client.query('commit')
  })
}

/** One fault of each book: services/orders/src/domain/reconciliation.unit.test.ts has all rules. */
test.each<[rule: string, what: string, plant: (orderApiKey: string) => Promise<unknown>]>([
  [
    'charge-amount',
    'the total is another one',
    (key) => plant('update orders.orders set total = total + 100 where api_key = $1', key),
  ],
  ['payment-state', 'payments have no row', deletePayment],
  [
    'payment-unknown-to-processor',
    'another charge',
    (key) =>
      plant(`update payments.authorizations set processor_id = 'auth_nobody' where order_api_key = $1`, key),
  ],
  [
    'delivery-missing',
    'no restaurant has it',
    (key) => plant('update orders.deliveries set outcome = null where order_api_key = $1', key),
  ],
  ['payment-without-order', 'the order was deleted', deleteOrder],
  [
    'charge-without-order',
    'order and payment were deleted',
    async (key) => {
      await deleteOrder(key)
      await deletePayment(key)
    },
  ],
])('reconciliation reports a planted mismatch, %s: %s', async (rule, _case, plantFault) => {
  const apiKey = await paidByCard()
  expect(await mismatchesOf(apiKey)).toEqual([])
  await plantFault(apiKey)
  const found = await mismatchesOf(apiKey)
  expect(found.map((one) => one.rule)).toContain(rule)
  for (const { says, disagree, detail } of found) {
    expect(detail).not.toBe('')
    expect(disagree.length).toBe(2)
    expect(Object.values(says).some((value) => value !== null)).toBe(true)
  }
})

test('400: since is missing or invalid, or the cursor is invalid', async () => {
  for (const query of ['', '?since=yesterday', '?since=-1', '?since=1&cursor=nonsense']) {
    const { status, body } = await operator<ProblemBody>('GET', `reconciliation${query}`)
    expect([status, body.errors[0]?.pointer]).toEqual([
      400,
      query.includes('cursor') ? 'query/cursor' : 'query/since',
    ])
  }
})
