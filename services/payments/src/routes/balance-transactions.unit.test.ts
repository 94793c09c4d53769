import { expect, test } from 'vitest'
import type { BalanceTransaction, BalanceTransactionPage } from '#/outside/processor.ts'
import type { ProcessorResult } from '#/domain/processor-result.ts'
import { balanceTransactions } from '#/routes/balance-transactions.ts'
import { memoryChargeMirrors } from '#/testing/memory-charge-mirrors.ts'

const NOW = 1_790_000_000
const balanceTransaction: BalanceTransaction = {
  id: 'txn_1',
  kind: 'payment',
  charge: 'pi_1',
  reference: 'o1',
  amount: 2_545,
  fee: 104,
  at: NOW - 60,
}

type PageRequest = { from: number; to: number; after: string | null }

/** Reads one page at `url`. `pages`: the pages of the processor. */
async function read(url: string, pages: ProcessorResult<BalanceTransactionPage>[]) {
  const requests: PageRequest[] = []
  const mirrors = memoryChargeMirrors()
  await mirrors.set({ orderApiKey: 'o2', processorId: 'pi_2', refunds: [], disputes: [] }, '0')
  const handle = balanceTransactions({
    reads: {
      balanceTransactions: async (request) => {
        requests.push(request)
        return pages[requests.length - 1] ?? { kind: 'yes', balanceTransactions: [], after: null }
      },
    },
    mirrors,
    now: () => NOW,
  })
  const headers: Record<string, string> = {}
  const { since, cursor } = Object.fromEntries(new URL(url, 'http://relative').searchParams)
  const query = { since: Number(since), ...(cursor !== undefined && { cursor }) }
  const setHeader = (name: string, value: string) => void (headers[name] = value)
  const body = await handle({ query, url, setHeader } as Parameters<typeof handle>[0])
  return { body, requests, link: /<([^>]+)>/.exec(headers['link'] ?? '')?.[1] }
}

test('amounts and fees are decimals, and a refund has the order of its charge', async () => {
  const refund: BalanceTransaction = {
    ...balanceTransaction,
    id: 'txn_2',
    kind: 'refund',
    charge: 'pi_2',
    reference: null,
    amount: -300,
    fee: 0,
  }
  const { body } = await read('/x?since=1000', [
    { kind: 'yes', balanceTransactions: [balanceTransaction, refund], after: null },
  ])
  expect(body).toMatchObject({
    since: 1_000,
    until: NOW,
    transactions: [
      { kind: 'payment', orderApiKey: 'o1', amount: 25.45, fee: 1.04 },
      { kind: 'refund', orderApiKey: 'o2', amount: -3, fee: 0 },
    ],
  })
})

test('the next page continues at the cursor of the processor, for the same period', async () => {
  const first = await read('/x?since=1000', [
    { kind: 'yes', balanceTransactions: [balanceTransaction], after: 'txn_1' },
  ])
  const next = await read(first.link ?? '', [])
  expect(next.requests).toEqual([{ from: 1_000, to: NOW, after: 'txn_1' }])
  expect(next.link).toBeUndefined()
})

test('503 payment-unavailable while the processor cannot be read', async () => {
  await expect(read('/x?since=1', [{ kind: 'unknown', reason: 'timeout' }])).rejects.toMatchObject({
    code: 'payment-unavailable',
    status: 503,
  })
})
