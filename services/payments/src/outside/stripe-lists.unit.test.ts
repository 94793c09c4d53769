import { cents } from '@platter/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { orderOf, tokenOf } from '#/testing/processor-world.ts'
import { SECRET_KEY, StripeServer } from '#/testing/stripe-server.ts'

const server = new StripeServer()
let processor: StripeProcessor

beforeAll(async () => {
  processor = new StripeProcessor({ secretKey: SECRET_KEY, currency: 'usd', url: await server.listen() })
})
afterAll(async () => {
  await processor.close()
  await server.close()
})

test('nothing is found for a card of another account, so that one such order does not stop a reconciliation', async () => {
  const order = { ...orderOf('cus_other:pm_other'), amount: cents(1_075) }
  expect(await processor.find(order)).toEqual({ kind: 'yes', found: [] })
})

test('a page of other sales with the most metadata that Stripe allows can be read', async () => {
  const from = Math.floor(Date.now() / 1_000)
  const most = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key${at}`, 'x'.repeat(500)]))
  const token = await tokenOf({ processor })
  for (let sale = 0; sale < 25; sale++) {
    const made = await processor.authorize(orderOf(token))
    if (made.kind !== 'yes') throw new Error('not authorized')
    server.state.change(made.id, { metadata: most })
  }
  const page = await processor.list({ from, to: from + 60, after: null })
  expect(page).toEqual({ kind: 'yes', charges: [], after: null })
})
