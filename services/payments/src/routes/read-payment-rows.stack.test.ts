import { cents, ReadPaymentRows } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readPaymentRows } from '#/routes/read-payment-rows.ts'
import { newPaymentStores } from '#/testing/payment-records.ts'

const TOKEN = 'tok_of_the_card'
const FROM = 1_795_200_000
const TO = FROM + 3_600

const stores = await newPaymentStores()

/** Inserts the payment row of a new order, created at this time in epoch seconds. */
async function insertRowAt(created: number): Promise<string> {
  const orderApiKey = newApiKey()
  await stores.authorizations.findOrCreate(orderApiKey, { amount: cents(1075), token: TOKEN })
  await sql`
    update authorizations set created_at = to_timestamp(${created})
    where order_api_key = ${orderApiKey}`.execute(stores.postgres.db)
  return orderApiKey
}

const read = async (orderApiKeys: string[]) =>
  ReadPaymentRows.response.parse(
    await readPaymentRows(stores)({ body: { orderApiKeys, from: FROM, to: TO } } as never),
  )

test('returns the rows of the named orders and of the period [from, to) once, without tokens', async () => {
  const [before, first, last, after] = [
    await insertRowAt(FROM - 1),
    await insertRowAt(FROM),
    await insertRowAt(TO - 1),
    await insertRowAt(TO),
  ]
  const { rows } = await read([before, first, newApiKey()])
  expect(rows.map(({ orderApiKey }) => orderApiKey).toSorted()).toEqual([before, first, last].toSorted())
  expect(rows.map(({ orderApiKey }) => orderApiKey)).not.toContain(after)
  expect(rows).toContainEqual({ orderApiKey: first, state: 'sent', amount: 1075, processorId: null })
  expect(JSON.stringify(rows)).not.toContain(TOKEN)
})
