import { newApiKey } from '@platter/kit'
import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { postgresStores } from '#/store/stores.ts'

const DAY = 86_400
const now = Math.floor(Date.now() / 1_000)

const postgres = await migratedDatabase('orders', 2)

type Stored = {
  apiKey: string
  state: string
  date: number
  amount?: number
  failedAt?: number
  requestedBy?: string
}

/** Inserts a delivered card order with these refunds. */
async function insertOrder(refunds: Stored[], cancellation: object | null = null): Promise<string> {
  const apiKey = newApiKey()
  const whole = refunds.map((one) => ({ amount: 100, requestedBy: 'operator', ...one }))
  await sql`
    insert into orders (api_key, application_id, restaurant_api_key, method, payment, test, total, status, payment_state, outcome,
      details, refunds, cancellation)
    values (${apiKey}, 'a', 'r', 'pickup', 'card', false, 1000, 'DELIVERED', 'CHARGED', 'transmitted',
      '{}', ${JSON.stringify(whole)}::jsonb, ${cancellation && JSON.stringify(cancellation)}::jsonb)`.execute(
    postgres.db,
  )
  return apiKey
}

const failed = (apiKey: string, date: number, failedAt = date + 60): Stored => ({
  apiKey,
  state: 'FAILED',
  date,
  failedAt,
})

const isListed = async (orderApiKey: string) => {
  const { incidents } = postgresStores(postgres.db)
  return (await incidents.failedRefunds()).some((one) => one.orderApiKey === orderApiKey)
}

test.each<[title: string, refunds: Stored[]]>([
  ['the latest refund', [failed('f1', now - 100)]],
  [
    'an earlier refund that failed after the request of a later one',
    [failed('f1', now - 500, now - 50), { apiKey: 'f2', state: 'DONE', date: now - 400 }],
  ],
  [
    'a refund before a refund at the processor',
    [failed('f1', now - 500), { apiKey: 'p', state: 'DONE', date: now, requestedBy: 'processor' }],
  ],
  ['a refund of 40 days ago that failed a day ago', [failed('f1', now - 40 * DAY, now - DAY)]],
])('a failed refund is listed: %s', async (_title, refunds) => {
  expect(await isListed(await insertOrder(refunds))).toBe(true)
})

test.each<[title: string, refunds: Stored[], cancellation?: object]>([
  ['no refund has failed', [{ apiKey: 'f1', state: 'DONE', date: now }]],
  [
    'another refund was requested after the failure',
    [failed('f1', now - 500), { apiKey: 'f2', state: 'PENDING', date: now }],
  ],
  ['the refund failed more than 30 days ago', [failed('f1', now - 40 * DAY, now - 31 * DAY)]],
  ['the order was cancelled', [failed('f1', now - 500)], { reason: 'x' }],
])('no failed refund is listed: %s', async (_title, refunds, cancellation) => {
  expect(await isListed(await insertOrder(refunds, cancellation))).toBe(false)
})

test('all failed refunds of an order are one incident, at the time of the last failure', async () => {
  const apiKey = await insertOrder([failed('f1', now - 500, now - 50), failed('f2', now - 400, now - 300)])
  const listed = await postgresStores(postgres.db).incidents.failedRefunds()
  expect(listed.filter(({ orderApiKey }) => orderApiKey === apiKey)).toEqual([
    { orderApiKey: apiKey, amount: 200, at: (now - 50) * 1_000_000 },
  ])
})

test('the incident of a failed refund has no amount that another refund has replaced', async () => {
  const apiKey = await insertOrder([
    { ...failed('f1', now - 500, now - 400), amount: 500 },
    { apiKey: 'f2', state: 'DONE', date: now - 300, amount: 500 },
    { ...failed('f3', now - 200, now - 100), amount: 300 },
  ])
  const listed = await postgresStores(postgres.db).incidents.failedRefunds()
  expect(listed.filter(({ orderApiKey }) => orderApiKey === apiKey)).toEqual([
    { orderApiKey: apiKey, amount: 300, at: (now - 100) * 1_000_000 },
  ])
})

test('a saga is overdue past its deadline, or a day later while only a refund is pending', async () => {
  const insertSaga = async (state: object, secondsAgo: number) => {
    const apiKey = await insertOrder([])
    await sql`
      insert into sagas (order_api_key, version, facts, state, request_id, wake_at, deadline_at)
      values (${apiKey}, 0, '{}', ${JSON.stringify({ done: [], undone: [], refusal: null, ...state })}::jsonb, 'q', now(),
        now() - ${secondsAgo} * interval '1 second')`.execute(postgres.db)
    return apiKey
  }
  const refunds = [{ apiKey: 'f1', amount: 100 }]
  const plain = await insertSaga({}, 60)
  const waiting = await insertSaga({ refunds }, 60)
  const released = await insertSaga({ refunds, refusal: { code: 'order-cancelled', detail: 'x' } }, 60)
  const long = await insertSaga({ refunds }, DAY + 60)
  const overdue = await postgresStores(postgres.db).incidents.overdueSagas()
  expect(overdue.map(({ orderApiKey }) => orderApiKey).toSorted()).toEqual([plain, released, long].toSorted())
  expect(overdue.map(({ orderApiKey }) => orderApiKey)).not.toContain(waiting)
  const due = await postgresStores(postgres.db).sagas.takeDue(100)
  expect(due.map(({ saga: { orderApiKey } }) => orderApiKey).toSorted()).toEqual(
    [plain, waiting, released, long].toSorted(),
  )
  const logged = due.filter(({ isOverdue }) => isOverdue).map(({ saga: { orderApiKey } }) => orderApiKey)
  expect(logged.toSorted()).toEqual([plain, released, long].toSorted())
})
