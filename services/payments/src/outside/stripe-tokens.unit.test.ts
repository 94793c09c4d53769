import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { SECRET_KEY } from '#/testing/stripe-server.ts'

/** A PaymentMethod of Link, which Stripe's library in an app can create too. */
const LINK = { id: 'pm_1', object: 'payment_method', type: 'link', link: {}, customer: 'cus_1' }
const server = createServer(({ url }, response) =>
  response.end(JSON.stringify(url === '/v1/customers' ? { id: 'cus_1', object: 'customer' } : LINK)),
)
let processor: StripeProcessor

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  processor = new StripeProcessor({ secretKey: SECRET_KEY, currency: 'usd', url })
})
afterAll(async () => {
  await processor.close()
  server.close()
})

test('a PaymentMethod without a card is a final refusal, not an unavailable processor', async () => {
  const refused = { kind: 'no', code: 'not_a_card', declineCode: 'not_a_card' }
  expect(await processor.tokenize({ processorToken: 'pm_1' })).toEqual(refused)
  expect(await processor.card({ token: 'cus_1:pm_1' })).toEqual(refused)
})
