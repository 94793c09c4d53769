import type { Refund } from '@platter/contracts'
import { expect, test } from 'vitest'
import {
  anOrder,
  card,
  cardNumbers,
  seedRestaurants,
  eventually,
  ledgerOf,
  operator,
  paidByCard,
  readOrder,
  sendOrder,
  stack,
  call,
  type Order,
  report,
} from './client.ts'

type Problem = { code: string; detail: string }

/** Places a card order, and waits until it is captured and delivered. */
async function placeDeliveredOrder(): Promise<Order & { apiKey: string }> {
  const apiKey = await paidByCard(seedRestaurants.console)
  await report(apiKey, 'PREPARING')
  await report(apiKey, 'DELIVERED')
  return { ...(await readOrder(apiKey)), apiKey }
}

const refund = (apiKey: string, body: object, query = '') =>
  operator<Refund & Problem>('POST', `orders/${apiKey}/refunds${query}`, { reason: 'MISSING_ITEM', ...body })

const waitForRefunds = (apiKey: string) =>
  eventually(
    () => readOrder(apiKey),
    ({ refunds }) => refunds.every(({ state }) => state !== 'PENDING'),
  )

const refundsInLedger = async (apiKey: string) =>
  (await ledgerOf(apiKey)).filter(({ kind }) => kind === 'refund').map(({ amount }) => amount)

test('a refund of an item includes its tax; a refund of the rest makes the order REFUNDED', async () => {
  const { apiKey, total, items } = await placeDeliveredOrder()
  const preview = await refund(apiKey, { items: [{ index: 0 }] }, '?validate-only=true')
  expect(preview).toMatchObject({ status: 200, body: { state: 'PENDING', requestedBy: 'operator' } })
  expect(preview.body.amount).toBeGreaterThan(items[0]?.totalPrice ?? NaN)
  expect((await readOrder(apiKey)).refunds).toEqual([])

  const first = await refund(apiKey, { items: [{ index: 0 }] })
  expect(first).toMatchObject({ status: 200, body: { amount: preview.body.amount } })
  const partly = await waitForRefunds(apiKey)
  expect(partly).toMatchObject({
    paymentState: 'CHARGED',
    refundedTotal: first.body.amount,
    refunds: [{ state: 'DONE' }],
  })

  expect(await refund(apiKey, { items: [{ index: 0 }] })).toMatchObject({
    status: 422,
    body: { code: 'refund-too-large' },
  })
  await refund(apiKey, { all: true })
  expect(await waitForRefunds(apiKey)).toMatchObject({ paymentState: 'REFUNDED', refundedTotal: total })
  const amounts = await refundsInLedger(apiKey)
  expect(amounts).toHaveLength(2)
  expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(Math.round(total * 100))
})

test('50 concurrent requests with one Idempotency-Key make one refund', async () => {
  const { apiKey } = await placeDeliveredOrder()
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const body = { amount: 1.25, reason: 'LATE' }
  const path = `/operatorapi/v1/orders/${apiKey}/refunds`
  const send = () => call<Refund & Problem>(path, { key: stack().operatorKey, body, headers })
  const responses = await Promise.all(Array.from({ length: 50 }, send))
  // A request during the first one with the same key gets 409 idempotency-in-flight.
  expect(
    responses
      .filter(({ status }) => status !== 200)
      .every(({ body: { code } }) => code === 'idempotency-in-flight'),
  ).toBe(true)
  const refunds = responses.filter(({ status }) => status === 200).map((response) => response.body.apiKey)
  expect(new Set(refunds).size).toBe(1)
  expect(await waitForRefunds(apiKey)).toMatchObject({ refundedTotal: 1.25 })
  expect(await refundsInLedger(apiKey)).toEqual([125])
})

test('of five concurrent refunds of 60 % of the total, one succeeds and reaches the processor', async () => {
  const { apiKey, total } = await placeDeliveredOrder()
  const amount = Math.ceil(total * 60) / 100
  const responses = await Promise.all([1, 2, 3, 4, 5].map(() => refund(apiKey, { amount })))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  await waitForRefunds(apiKey)
  expect(await refundsInLedger(apiKey)).toEqual([Math.round(amount * 100)])
})

test('a cash refund is DONE at once; a cancellation after a card refund refunds the rest', async () => {
  const { body: cash } = await sendOrder(await anOrder(seedRestaurants.console))
  expect(await refund(cash.apiKey, { amount: 1 })).toMatchObject({ status: 200, body: { state: 'DONE' } })
  expect(await readOrder(cash.apiKey)).toMatchObject({ paymentState: 'DUE', refundedTotal: 1 })

  const apiKey = await paidByCard(seedRestaurants.console)
  await refund(apiKey, { amount: 2 })
  await operator('POST', `orders/${apiKey}/cancel`, { reason: 'Power failure' })
  const end = await eventually(
    () => readOrder(apiKey),
    ({ paymentState, refunds }) =>
      paymentState === 'REFUNDED' && refunds.every(({ state }) => state !== 'PENDING'),
  )
  expect(end.refundedTotal).toBe(end.total)
  expect((await refundsInLedger(apiKey)).reduce((sum, amount) => sum + amount, 0)).toBe(
    Math.round(end.total * 100),
  )
})

test('409 not-charged-yet with Retry-After while the customer confirms the payment at the bank', async () => {
  const { body: order } = await sendOrder({
    ...(await anOrder(seedRestaurants.console)),
    payment: 'card',
    card: card(cardNumbers.challenged),
    canAuthenticate: true,
  })
  expect(order.paymentState).toBe('PENDING')
  const { status, headers, body } = await refund(order.apiKey, { all: true })
  expect([status, body.code]).toEqual([409, 'not-charged-yet'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
})

test('400: two kinds of amounts, or an unknown item; 404: an unknown order', async () => {
  const { apiKey } = await placeDeliveredOrder()
  expect(await refund(apiKey, { amount: 1, all: true })).toMatchObject({ status: 400 })
  expect(await refund(apiKey, { items: [{ index: 99 }] })).toMatchObject({
    status: 400,
    body: { code: 'invalid-field' },
  })
  expect(await refund('0'.repeat(48), { all: true })).toMatchObject({ status: 404 })
})
