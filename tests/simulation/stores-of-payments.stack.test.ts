import { cents } from '@platter/contracts'
import { migratedDatabase } from '@platter/testkit'
import { expect, test } from 'vitest'
import { NO_PROCESSOR } from '../../services/payments/src/outside/no-processor.ts'
import {
  postgresAuthorizations,
  type AuthorizationStore,
} from '../../services/payments/src/store/authorizations.ts'
import { postgresRefunds, type RefundStore } from '../../services/payments/src/store/refunds.ts'
import { randomOf, type Random } from '../support/random.ts'
import { newMemoryStores, settled } from './comparison.ts'
import type { AllStores } from './database.ts'

const payments = await migratedDatabase('payments', 2)

type Call<S> = [name: string, run: (store: S) => Promise<unknown>]

/**
 * Executes histories of statements on both stores, and returns the number of compared results. The histories run concurrently in
 * PostgreSQL, where a capture waits up to 100 ms for others. Each has its own order.
 */
async function compare<S>(
  { rows, simulatedBy }: { rows: S; simulatedBy: (stores: AllStores) => S },
  histories: number,
  callsOf: (random: Random, seed: number) => Call<S>[],
): Promise<number> {
  const executed = await Promise.all(
    Array.from({ length: histories }, async (_, seed) => {
      const calls = callsOf(randomOf(seed), seed)
      const expected: unknown[] = []
      for (const [, run] of calls) expected.push(await settled(() => run(rows)))
      return { calls, expected }
    }),
  )
  let compared = 0
  for (const [seed, { calls, expected }] of executed.entries()) {
    const simulated = simulatedBy(newMemoryStores())
    for (const [step, [name, run]] of calls.entries()) {
      const result = await settled(() => run(simulated))
      expect({ seed, step, name, result }).toEqual({ seed, step, name, result: expected[step] })
      compared += 1
    }
  }
  return compared
}

type RefundStores = Omit<AuthorizationStore, 'find'> & RefundStore

/** Returns the statements that create a charge. Most refunds need one. */
function charging(orderApiKey: string): Call<RefundStores>[] {
  const from = { orderApiKey, state: 'sent' } as Parameters<AuthorizationStore['move']>[0]
  return [
    ['findOrCreate', (store) => store.findOrCreate(orderApiKey, { amount: cents(10), token: 't1' })],
    ['move', (store) => store.move(from, { state: 'captured', processorId: 'x' })],
  ]
}

function aRefundCall(random: Random, orderApiKey: string): Call<RefundStores> {
  const apiKey = `${orderApiKey}-${random.between(1, 4)}`
  const amount = cents(random.pick([3, 4, 5]))
  const reserve: Call<RefundStores> = ['reserve', (store) => store.reserve({ apiKey, orderApiKey, amount })]
  return random.pick<Call<RefundStores>>([
    reserve,
    reserve,
    reserve,
    ['find', (store) => store.find(apiKey)],
    ['sent', (store) => store.sent(orderApiKey)],
    ['pending', (store) => store.mark(apiKey, 'pending', 're_1')],
    ['done', (store) => store.mark(apiKey, 'done', 're_1')],
    ['done', (store) => store.mark(apiKey, 'done', 're_1')],
    ['markFailed', (store) => store.markFailed(apiKey, 'refund_failed')],
    ['markWhollyRefunded', (store) => store.markWhollyRefunded(orderApiKey)],
    ['authorization', (store) => store.findOrCreate(orderApiKey, { amount: cents(10), token: 't1' })],
    ...(random.next() < 0.2
      ? [['requestRelease', (store) => store.requestRelease(orderApiKey)] satisfies Call<RefundStores>]
      : []),
  ])
}

test('the in-memory store of refunds equals PostgreSQL in 1,000 random statements', async () => {
  const stores = {
    rows: { ...postgresAuthorizations(payments.db), ...postgresRefunds(payments.db) },
    simulatedBy: ({ authorizations, refunds }: AllStores) => ({ ...authorizations, ...refunds }),
  }
  const compared = await compare<RefundStores>(stores, 50, (random, seed) => [
    ...charging(`f${seed}`),
    ...Array.from({ length: 18 }, () => aRefundCall(random, `f${seed}`)),
  ])
  expect(compared).toBe(1_000)
})

function anAuthorizationCall(random: Random, orderApiKey: string): Call<AuthorizationStore> {
  const terms = {
    amount: cents(random.pick([1, 2])),
    token: 't1',
    ...random.pick([{}, { statementSuffix: 'Aurora Sli', savesCard: true }, { savesCard: false }]),
  }
  const state = random.pick(['sent', 'authorized', 'captured'] as const)
  const from = { orderApiKey, state } as Parameters<AuthorizationStore['move']>[0]
  const to = random.pick(['authorized', 'captured', 'voided', 'refunded'] as const)
  return random.pick<Call<AuthorizationStore>>([
    ['find', (store) => store.find(orderApiKey)],
    ['findOrCreate', (store) => store.findOrCreate(orderApiKey, terms)],
    ['findOrCreate, declined', (store) => store.findOrCreate(orderApiKey, terms, NO_PROCESSOR)],
    ['requestRelease', (store) => store.requestRelease(orderApiKey)],
    ['move', (store) => store.move(from, { state: to, processorId: 'x' })],
  ])
}

test('the in-memory store of authorizations equals PostgreSQL in 720 random statements', async () => {
  const stores = {
    rows: postgresAuthorizations(payments.db),
    simulatedBy: ({ authorizations }: AllStores) => authorizations,
  }
  const compared = await compare(stores, 60, (random, seed) =>
    Array.from({ length: 12 }, () => anAuthorizationCall(random, `p${seed}`)),
  )
  expect(compared).toBe(720)
})
