import { BalanceTransactions, type BalanceTransaction } from '@platter/contracts'
import { expect, test } from 'vitest'
import { anOrder, card, seedRestaurants, eventually, operator, sendOrder, expectConforms } from './client.ts'

type Page = { transactions: BalanceTransaction[] }

test('200: the payment of an order with its fee, and its partial refund', async () => {
  const since = Math.floor(Date.now() / 1000)
  const { body: order } = await sendOrder(
    await anOrder(seedRestaurants.aurora, { payment: 'card', card: card() }),
  )
  await eventually(
    () => operator('POST', `orders/${order.apiKey}/refunds`, { amount: 1, reason: 'LATE' }),
    ({ status }) => status === 200,
  )
  const { body } = await eventually(
    () => operator<Page>('GET', `balance-transactions?since=${since}`),
    ({ body: { transactions } }) =>
      transactions.some(({ kind, orderApiKey }) => kind === 'refund' && orderApiKey === order.apiKey),
  )
  expectConforms(BalanceTransactions, body)
  const own = body.transactions.filter(({ orderApiKey }) => orderApiKey === order.apiKey)
  expect(own.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['payment', order.total],
    ['refund', -1],
  ])
  expect(own[0]?.fee).toBeGreaterThan(0)
})
