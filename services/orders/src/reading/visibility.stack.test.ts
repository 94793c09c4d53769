import { cents } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import { migratedDatabase } from '@platter/testkit'
import { expect, test } from 'vitest'
import { newOrder, resultOf } from '#/domain/order-state.ts'
import { newSaga } from '#/domain/saga-row.ts'
import { transition } from '#/saga/domain/transition.ts'
import { postgresStores } from '#/store/stores.ts'
import { findAndMark, readAndMark } from '#/reading/visibility.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const { db } = await migratedDatabase('orders')
const { orders, sagas } = postgresStores(db)

const facts = { total: cents(1075), token: 'tok_1', userApiKey: null, newCard: null, newAddress: null }
const refusal = { code: 'card-declined', detail: 'The card was declined.' } as const
const times = { retryInMs: 60_000, deadlineInMs: 60_000, leaseMs: 3_000, deliverWithinMs: 60_000 }

/** Places an order whose card is not authorized yet. */
async function placeOrder(recipientApiKey: string | null = null, more = {}): Promise<string> {
  const apiKey = newApiKey()
  await sagas.place({
    ...times,
    applicationId: 'an-application',
    order: newOrder(apiKey, pricedOrder({ payment: 'card', recipientApiKey }), 1),
    saga: newSaga({ orderApiKey: apiKey, requestId: 'r', facts: { ...facts, ...more } }),
    delivery: null,
    traceparent: null,
    idempotency: null,
  })
  return apiKey
}

/** Declines the card of the order. */
async function declineCard(apiKey: string): Promise<void> {
  const { order, saga } = (await sagas.load(apiKey))!
  const outcome = { kind: 'refused', refusal } as const
  const reply = {
    kind: 'replied',
    at: 1,
    step: 'authorize',
    isCompensation: false,
    version: 0,
    outcome,
  } as const
  const next = transition(order, saga, reply)
  if (next === 'stale') throw new Error('the refusal does not apply')
  const end = { ...times, retryInMs: null, deadlineInMs: null }
  await sagas.save({ ...next, ...end, from: { version: 0, status: null }, status: null })
}

test('a pending order that a client read stays visible as cancelled; its pending request gets the refusal', async () => {
  const order = await placeOrder()
  expect(await findAndMark(orders, orders, order)).toMatchObject({
    status: 'PROCESSING',
    cancellation: null,
    refunds: [],
    dispute: null,
  })
  await declineCard(order)
  const { order: failed, saga } = (await sagas.load(order))!
  expect(resultOf(failed, saga.state.refusal)).toEqual({ kind: 'failed', refusal })
  expect(await orders.find(order)).toMatchObject({ cancellation: { reason: 'card-declined' } })
})

test('an order that failed before any client read it is hidden', async () => {
  const order = await placeOrder()
  await declineCard(order)
  expect(await findAndMark(orders, orders, order)).toBeNull()
  expect(await orders.find(order)).toBeNull()
})

test.each([
  ['before its response was due is hidden', 60_000, false],
  ['after it stays visible as cancelled, because the replica that responded may have died', 0, true],
])('an order that failed %s', async (_, respondWithinMs, isVisible) => {
  const order = await placeOrder(null, { respondWithinMs })
  await declineCard(order)
  expect((await orders.find(order)) !== null).toBe(isVisible)
})

test('a concurrent read and failure leave an order visible if, and only if, the read showed it', async () => {
  const counts = { shown: 0, hidden: 0 }
  const user = newApiKey()
  // The machine decides which one commits first. The rounds continue until the order was shown once.
  for (let round = 0; round < 100 || (round < 1_000 && counts.shown === 0); round++) {
    const order = await placeOrder(user)
    const page = { before: null, limit: 100 }
    const [one, history] = await Promise.all([
      findAndMark(orders, orders, order),
      readAndMark(orders, () => orders.ofRecipient(user, page)),
      declineCard(order),
    ])
    const isListed = history.orders.some(({ apiKey }) => apiKey === order)
    const after = await orders.find(order)
    expect(after !== null, 'visible if, and only if, it was shown').toBe(one !== null || isListed)
    counts[after ? 'shown' : 'hidden'] += 1
  }
  expect(counts.shown, 'the read wins at least once').toBeGreaterThan(0)
})
