import { cents, ReadPaymentStory } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import { expect, test } from 'vitest'
import { readPaymentStory } from '#/routes/read-payment-story.ts'
import { newPaymentStores } from '#/testing/payment-records.ts'

const TOKEN = 'tok_of_the_card'

const stores = await newPaymentStores()

const sent = (orderApiKey: string) =>
  stores.authorizations.findOrCreate(orderApiKey, { amount: cents(1075), token: TOKEN })
const read = async (orderApiKey: string) =>
  ReadPaymentStory.response.parse(await readPaymentStory(stores)({ body: { orderApiKey } } as never)).payment

test('an unknown call is in the story until its outcome is known, and its attempts are counted', async () => {
  const orderApiKey = newApiKey()
  const row = await sent(orderApiKey)
  for (let count = 0; count < 2; count++)
    await stores.authorizations.recordUnknown({ row, call: 'authorize', reason: 'TimeoutError' })
  const unknown = { call: 'authorize', reason: 'TimeoutError', since: expect.any(Number) as number }
  expect(await read(orderApiKey)).toMatchObject({ state: 'sent', attempts: 2, unknown })
  await stores.authorizations.move(row, { state: 'authorized', processorId: 'auth_1' })
  const known = await read(orderApiKey)
  expect(known).toMatchObject({ state: 'authorized', amount: 10.75, attempts: 3, unknown: null })
  expect(JSON.stringify(known)).not.toContain(TOKEN)
})

test('an order that was released before its first call has no attempt and no amount', async () => {
  const orderApiKey = newApiKey()
  await stores.authorizations.requestRelease(orderApiKey)
  expect(await read(orderApiKey)).toMatchObject({ state: 'released', amount: null, attempts: 0 })
})

test('returns null for an order without a payment', async () => {
  expect(await read(newApiKey())).toBeNull()
})
