import { cents, PaymentIncidents } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Change } from '#/domain/processor-result.ts'
import { paymentIncidents } from '#/routes/payment-incidents.ts'
import { newPaymentStores } from '#/testing/payment-records.ts'

const stores = await newPaymentStores()

/** Inserts an order whose capture has had an unknown outcome for this many minutes. `change`: a change before it. */
async function insertUnknownFor(minutes: number, change: Change | null = null): Promise<string> {
  const orderApiKey = newApiKey()
  const sent = await stores.authorizations.findOrCreate(orderApiKey, { amount: cents(1075), token: 'tok_1' })
  const row = change ? (await stores.authorizations.move(sent, change)).row : sent
  await stores.authorizations.recordUnknown({ row, call: 'capture', reason: 'ECONNRESET' })
  await sql`
    update authorizations set unknown_since = date_trunc('minute', now()) - ${minutes} * interval '1 minute'
    where order_api_key = ${orderApiKey}`.execute(stores.postgres.db)
  return orderApiKey
}

const list = async () => {
  const body = { kind: 'unknown' }
  return PaymentIncidents.response.parse(await paymentIncidents(stores)({ body } as never)).incidents
}

test('lists calls with an outcome unknown for at least five minutes, newest first', async () => {
  await insertUnknownFor(1)
  const oldest = await insertUnknownFor(20)
  const newest = await insertUnknownFor(10)
  const found = await list()
  expect(found.map(({ orderApiKey }) => orderApiKey)).toEqual([newest, oldest])
  expect(found[0]).toMatchObject({ what: 'capture', reason: 'ECONNRESET', count: 1 })
})

test('a challenge that a later check finds open is not listed', async () => {
  const change = { state: 'challenged', processorId: 'auth_1' } as const
  const orderApiKey = await insertUnknownFor(30, change)
  const isListed = async () => (await list()).some((one) => one.orderApiKey === orderApiKey)
  expect(await isListed()).toBe(true)
  await stores.authorizations.move((await stores.authorizations.find(orderApiKey))!, change)
  expect(await isListed()).toBe(false)
})

test('a dispute and a missing refund have their amount and their reason', async () => {
  const mirrors = {
    openDisputes: async () => [
      { orderApiKey: 'o1', amount: cents(1_075), reason: 'fraudulent', respondBy: 1_800, count: 2, at: 1 },
    ],
    missingRefunds: async () => [{ orderApiKey: 'o2', amount: cents(600), at: 1 }],
  }
  const read = async (kind: 'dispute' | 'missing') =>
    PaymentIncidents.response.parse(
      await paymentIncidents({ ...stores, mirrors })({ body: { kind } } as never),
    ).incidents
  expect(await read('dispute')).toMatchObject([
    {
      what: 'dispute of 10.75',
      reason: 'The bank disputes the charge: fraudulent. Respond by 1970-01-01T00:30:00.000Z.',
      count: 2,
    },
  ])
  expect(await read('missing')).toMatchObject([
    {
      what: 'refund of 6.00',
      reason:
        'The order is cancelled, and the customer does not have this amount: its refund failed, its dispute was won later, or a lost dispute left it.',
    },
  ])
})
