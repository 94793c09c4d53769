import { GetOrderStory, type OrderStory, type ValidatedOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import {
  anOrder,
  card,
  cardNumbers,
  seedRestaurants,
  authorizationsOf,
  operator,
  receiptsOf,
  sendOrder,
  type ProblemBody,
  sagaEnded,
  paidByCard,
  expectConforms,
  validate,
} from './client.ts'
import { plant } from './planted.ts'

const story = (apiKey: string) => operator<OrderStory & ProblemBody>('GET', `orders/${apiKey}`)

test('200: the order with its history, saga, payment and delivery, without a card token', async () => {
  const requestId = crypto.randomUUID()
  const order = await anOrder(seedRestaurants.aurora, { payment: 'card', card: card() })
  const { body: sent } = await sendOrder(order, { headers: { 'x-request-id': requestId } })
  const { status, body } = await sagaEnded(sent.apiKey)
  expect(status).toBe(200)
  expectConforms(GetOrderStory, body)
  expect(body).toMatchObject({
    order: { apiKey: sent.apiKey, total: sent.total, paymentState: 'CHARGED' },
    outcome: 'transmitted',
    visible: true,
    saga: {
      state: 'completed',
      step: null,
      undo: false,
      done: ['authorize', 'transmit', 'capture'],
      wakeAt: null,
    },
    payment: { state: 'captured', amount: sent.total, refusal: null, unknown: null, attempts: 1 },
    delivery: { link: 'webhook', outcome: 'accepted', attempts: 1 },
    requestId,
  })
  expect(body.statuses[0]).toMatchObject({ orderApiKey: sent.apiKey, status: 'PROCESSING' })
  expect(body.payment?.processorId).toMatch(/^auth_/)
  expect(await receiptsOf(sent.apiKey)).toHaveLength(1)
  expect(JSON.stringify(body)).not.toMatch(/tok_/)
})

test('200: a failed order that is hidden from clients, with its error code', async () => {
  const order = await anOrder(seedRestaurants.refuses, { payment: 'card', card: card(), tip: 31.07 })
  const { total } = (await validate<ValidatedOrder>(order)).body
  expect((await sendOrder(order)).status).toBe(422)
  const authorized = (await authorizationsOf(total)).at(-1)
  const { status, body } = await story(authorized?.reference ?? '')
  expect(status).toBe(200)
  expectConforms(GetOrderStory, body)
  expect(body).toMatchObject({
    outcome: 'failed',
    visible: false,
    saga: { state: 'failed', refusal: { code: 'order-refused' }, undone: ['authorize'] },
    payment: { state: 'voided' },
    delivery: { outcome: 'refused' },
  })
})

test('200: the decline code of a declined order', async () => {
  const declined = card(cardNumbers.insufficientFunds)
  const order = await anOrder(seedRestaurants.aurora, { payment: 'card', card: declined, tip: 31.11 })
  const { total } = (await validate<ValidatedOrder>(order)).body
  await sendOrder(order)
  const line = (await authorizationsOf(total)).at(-1)
  const { body } = await story(line?.reference ?? '')
  expect(body).toMatchObject({
    visible: false,
    payment: { state: 'declined', refusal: { code: 'card-declined', declineCode: 'insufficient_funds' } },
    delivery: null,
  })
})

test('200: a test order without a payment', async () => {
  const { body } = await sendOrder(await anOrder(seedRestaurants.test, { test: true }))
  expect((await story(body.apiKey)).body).toMatchObject({
    payment: null,
    order: { paymentState: 'NOT_REQUIRED' },
  })
})

test('a payment with an unknown outcome has its call, the reason and the number of attempts', async () => {
  const apiKey = await paidByCard()
  const changed = await plant(
    `update payments.authorizations set unknown_call = 'capture', unknown_reason = 'ECONNRESET', unknown_answers = 3,
       unknown_since = now() where order_api_key = $1`,
    apiKey,
  )
  expect(changed).toBe(1)
  const { body } = await story(apiKey)
  expect(body.payment).toMatchObject({ attempts: 3, unknown: { call: 'capture', reason: 'ECONNRESET' } })
  await plant('update payments.authorizations set unknown_since = null where order_api_key = $1', apiKey)
})

test('200: an order is found by the number that the console and the ticket show', async () => {
  const { body: sent } = await sendOrder(await anOrder(seedRestaurants.console))
  const { status, body } = await story(String(sent.id))
  expect(status).toBe(200)
  expectConforms(GetOrderStory, body)
  expect(body.order).toMatchObject({ apiKey: sent.apiKey, id: sent.id })
  expect(body.statuses[0]).toMatchObject({ orderApiKey: sent.apiKey, status: 'PROCESSING' })
})

test.each(['0'.repeat(48), '1'.repeat(16), '9'.repeat(15), '0'])(
  '404 order-not-found for %s',
  async (order) => {
    expect(await story(order)).toMatchObject({ status: 404, body: { code: 'order-not-found' } })
  },
)
