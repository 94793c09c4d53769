import { join } from 'node:path'
import { cents } from '@platter/contracts'
import { createLog, newApiKey } from '@platter/kit'
import { migrate } from '@platter/kit/migrate'
import { connectPostgres } from '@platter/kit/postgres'
import { newDatabase } from '@platter/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh } from './domain/saga-row.ts'
import * as orders from './store/orders.ts'
import * as sagas from './store/sagas.ts'
import type { Db, Tables } from './store/tables.ts'
import { findToShow, readToShow } from './visibility.ts'

let db: Db
let close: () => Promise<void>

beforeAll(async () => {
  const log = createLog('test', 'fatal')
  const postgres = connectPostgres<Tables>(await newDatabase(), 10, log)
  ;({ db, close } = postgres)
  await migrate(db, join(import.meta.dirname, '../migrations'), log)
})
afterAll(() => close())

const facts = { total: cents(1075), token: 'tok_1', userApiKey: null, newCard: null, newAddress: null }
const refusal = { code: 'card-declined', detail: 'The card was declined.' } as const
const cancellation = {
  reason: 'card-declined',
  message: 'The card was declined.',
  cancelledBy: 'system',
  date: 1_790_000_000,
  refund: { amount: 0, state: 'VOIDED' },
} as const

/** An accepted order whose card has not been asked yet. */
async function aPendingOrder(recipientApiKey: string | null = null): Promise<string> {
  const apiKey = newApiKey()
  await sagas.accept(db, {
    apiKey,
    applicationId: 'an-application',
    order: {
      method: 'pickup',
      payment: 'card',
      test: false,
      restaurantApiKey: 'a-restaurant',
      recipientApiKey,
      total: cents(1075),
      details: { items: [], card: null } as never,
    },
    facts,
    state: fresh,
    requestId: 'r',
    traceparent: null,
    wakeInMs: 60_000,
    deadlineMs: 60_000,
    delivery: null,
    idempotency: null,
  })
  return apiKey
}

const fail = (orderApiKey: string) =>
  sagas.move(
    db,
    { orderApiKey, version: 0 },
    {
      state: { ...fresh, refusal },
      change: {},
      wakeInMs: null,
      delivery: null,
      delivered: null,
      failure: { refusal, cancellation },
    },
  )

test('a pending order that a client read stays visible as cancelled; the request that waits gets the refusal', async () => {
  const order = await aPendingOrder()
  expect(await findToShow(db, db, order)).toMatchObject({ status: 'PROCESSING', cancellation: null })
  expect((await fail(order))?.standing).toEqual({ kind: 'failed', refusal })
  expect(await orders.find(db, order)).toMatchObject({ cancellation: { reason: 'card-declined' } })
})

test('an order that failed before any client read it is hidden', async () => {
  const order = await aPendingOrder()
  await fail(order)
  expect(await findToShow(db, db, order)).toBeNull()
  expect(await orders.find(db, order)).toBeNull()
})

test('a pending order that is read and fails at the same moment is hidden, or visible for good', async () => {
  const seen = { shown: 0, hidden: 0 }
  const user = newApiKey()
  for (let round = 0; round < 100; round++) {
    const order = await aPendingOrder(user)
    const page = { before: null, limit: 100 }
    const [one, history] = await Promise.all([
      findToShow(db, db, order),
      readToShow(db, () => orders.ofRecipient(db, user, page)),
      fail(order),
    ])
    const isListed = history.orders.some(({ apiKey }) => apiKey === order)
    const after = await orders.find(db, order)
    expect(after !== null, 'visible if, and only if, it was shown').toBe(one !== null || isListed)
    seen[after ? 'shown' : 'hidden'] += 1
  }
  expect(seen.shown, 'the race is one').toBeGreaterThan(0)
})
