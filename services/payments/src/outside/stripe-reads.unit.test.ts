import { startHttpServer } from '@platter/testkit/http-server'
import { afterAll, expect, test } from 'vitest'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { SECRET_KEY } from '#/testing/stripe-server.ts'

const ofOrder = { payment_intent: 'pi_1', metadata: { orderApiKey: 'o1' } }
const ofIntent = { payment_intent: 'pi_1' }

const TRANSACTIONS = [
  ['charge', 1_075, ofOrder],
  ['refund', -300, ofIntent],
  ['refund_failure', 300, ofIntent],
  ['adjustment', -1_075, ofIntent],
  ['adjustment', 1_075, ofIntent],
  ['stripe_fee', -200, null],
  ['adjustment', -500, null],
  ['charge', 900, { payment_intent: null }],
  ['payout', -5_000, 'po_1'],
] as const

const data = TRANSACTIONS.map(([type, amount, source], at) => ({
  id: `txn_${at}`,
  object: 'balance_transaction',
  type,
  amount,
  fee: 31,
  created: 1_000,
  source,
}))
/** A PaymentMethod of Link, which Stripe's library in an app can create too. */
const LINK = { id: 'pm_1', object: 'payment_method', type: 'link', link: {}, customer: 'cus_1' }

function responseTo(url = ''): object {
  if (url.startsWith('/v1/balance_transactions'))
    return { object: 'list', url: '/v1/balance_transactions', data, has_more: false }
  return url === '/v1/customers' ? { id: 'cus_1', object: 'customer' } : LINK
}

const server = await startHttpServer(({ url }, response) =>
  response
    .writeHead(200, { 'content-type': 'application/json', 'request-id': 'req_test' })
    .end(JSON.stringify(responseTo(url))),
)
const processor = new StripeProcessor({ secretKey: SECRET_KEY, currency: 'usd', url: server.url })
afterAll(() => Promise.all([processor.close(), server.close()]))

test('Stripe balance transactions are read with their sign and fee, except those of no sale', async () => {
  const page = await processor.balanceTransactions({ from: 0, to: 2_000, after: null })
  const ofCharge = { charge: 'pi_1', reference: null, fee: 31, at: 1_000 }
  expect(page).toEqual({
    kind: 'yes',
    balanceTransactions: [
      { id: 'txn_0', kind: 'payment', ...ofCharge, reference: 'o1', amount: 1_075 },
      { id: 'txn_1', kind: 'refund', ...ofCharge, amount: -300 },
      { id: 'txn_2', kind: 'refund', ...ofCharge, amount: 300 },
      { id: 'txn_3', kind: 'dispute', ...ofCharge, amount: -1_075 },
      { id: 'txn_4', kind: 'dispute-reversal', ...ofCharge, amount: 1_075 },
      { id: 'txn_5', kind: 'fee', charge: null, reference: null, amount: 0, fee: 200, at: 1_000 },
    ],
    after: null,
  })
})

test('a PaymentMethod without a card is a final refusal, not an unavailable processor', async () => {
  const refused = { kind: 'no', code: 'not_a_card', declineCode: 'not_a_card' }
  expect(await processor.tokenize({ processorToken: 'pm_1' })).toEqual(refused)
  expect(await processor.card({ token: 'cus_1:pm_1' })).toEqual(refused)
})
