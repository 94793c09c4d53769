import { cents, UnknownPayments, type Before } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import { newDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Change } from '#/domain/processor-result.ts'
import { unknownPayments } from '#/routes/unknown-payments.ts'
import { newPaymentStores } from '#/testing/payment-records.ts'

const MINUTE_MS = 60_000

let stores: Awaited<ReturnType<typeof newPaymentStores>>
beforeAll(async () => {
  stores = await newPaymentStores(await newDatabase())
})
afterAll(() => stores.postgres.close())

/** Inserts an order whose capture has had an unknown outcome for this many minutes. `change`: a change before it. */
async function insertUnknownFor(minutes: number, change: Change | null = null): Promise<string> {
  const orderApiKey = newApiKey()
  const sent = await stores.authorizations.findOrCreate(orderApiKey, { amount: cents(1075), token: 'tok_1' })
  const row = change ? await stores.authorizations.move(sent, change) : sent
  await stores.authorizations.recordUnknown({ row, call: 'capture', reason: 'ECONNRESET' })
  await stores.postgres.db
    .updateTable('authorizations')
    .set({ unknown_since: sql<Date>`date_trunc('minute', now()) - ${minutes} * interval '1 minute'` })
    .where('order_api_key', '=', orderApiKey)
    .execute()
  return orderApiKey
}

const list = async (before: Before | null, minutes = 5) => {
  const body = { olderThanMs: minutes * MINUTE_MS, before, limit: 1 }
  return UnknownPayments.response.parse(await unknownPayments(stores)({ body } as never)).payments
}

test('lists calls with an outcome unknown for at least olderThanMs, in pages, newest first', async () => {
  await insertUnknownFor(1)
  const oldest = await insertUnknownFor(20)
  // Both have the same time, so their ids determine the sequence.
  const [smaller = '', larger = ''] = [await insertUnknownFor(10), await insertUnknownFor(10)].toSorted()
  const found: Awaited<ReturnType<typeof list>> = []
  for (let page = await list(null); page.length > 0;) {
    found.push(...page)
    const last = page.at(-1)!
    page = await list({ at: last.at, id: last.orderApiKey })
  }
  expect(found.map(({ orderApiKey }) => orderApiKey)).toEqual([larger, smaller, oldest])
  expect(found[0]).toMatchObject({ call: 'capture', reason: 'ECONNRESET', answers: 1 })
})

test('a challenge that a later check finds open is not listed', async () => {
  const change = { state: 'challenged', processorId: 'auth_1' } as const
  const orderApiKey = await insertUnknownFor(30, change)
  expect(await list(null, 30)).toMatchObject([{ orderApiKey }])
  await stores.authorizations.move((await stores.authorizations.find(orderApiKey))!, change)
  expect(await list(null, 30)).toEqual([])
})
