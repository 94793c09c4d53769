import { afterAll, beforeAll, expect, test } from 'vitest'
import { SECRET_KEY, StripeServer } from '#/testing/stripe-server.ts'

/* The strictness of the test server: a lenient one would accept every request of the adapter. */

const server = new StripeServer()
let url: string
beforeAll(async () => {
  url = await server.listen()
})
afterAll(() => server.close())

const HEADERS = {
  authorization: `Bearer ${SECRET_KEY}`,
  'stripe-version': '2026-10-28.endive',
  'content-type': 'application/x-www-form-urlencoded',
}

type Body = Record<string, unknown> & { error?: Record<string, unknown> }

async function send(path: string, form: Record<string, string> | null, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/v1/${path}`, {
    method: form ? 'POST' : 'GET',
    headers: { ...HEADERS, ...headers },
    body: form && new URLSearchParams(form).toString(),
  })
  const replayed = response.headers.get('idempotent-replayed')
  return { status: response.status, replayed, body: (await response.json()) as Body }
}

const method = {
  type: 'card',
  'card[number]': '4242424242424242',
  'card[exp_month]': '5',
  'card[exp_year]': '2039',
  'card[cvc]': '123',
}

async function createCard() {
  const made = await send('payment_methods', method)
  const owner = await send('customers', { payment_method: String(made.body['id']) })
  return { payment_method: String(made.body['id']), customer: String(owner.body['id']) }
}
const newIntent = async () => ({
  ...(await createCard()),
  amount: '1075',
  currency: 'usd',
  confirm: 'true',
  capture_method: 'manual',
  'allowed_payment_method_types[0]': 'card',
})

test.each([
  [{ payment_method_types: 'card' }, 'parameter_unknown', 'payment_method_types'],
  [{ 'metadata[a][b]': 'c' }, 'parameter_invalid', 'metadata[a]'],
  [{ 'card[number]': '4242' }, 'parameter_unknown', 'card'],
  [{ amount: '' }, 'parameter_invalid', 'amount'],
  [{ amount: '10.75' }, 'parameter_invalid', 'amount'],
  [{ amount: '49' }, 'amount_too_small', 'amount'],
  [{ currency: 'USD' }, 'parameter_invalid', 'currency'],
  [{ confirm: '1' }, 'parameter_invalid', 'confirm'],
  [{ capture_method: 'later' }, 'parameter_invalid', 'capture_method'],
  [{ setup_future_usage: 'later' }, 'parameter_invalid', 'setup_future_usage'],
  [{ statement_descriptor_suffix: "Sam's Pies" }, 'parameter_invalid', 'statement_descriptor_suffix'],
  [{ statement_descriptor_suffix: '1913' }, 'parameter_invalid', 'statement_descriptor_suffix'],
  [{ statement_descriptor_suffix: 'Aurora Slice House' }, 'parameter_invalid', 'statement_descriptor_suffix'],
])('refuses %j with an error of Stripe: %s, %s', async (form, code, param) => {
  const { status, body } = await send('payment_intents', { ...(await newIntent()), ...form })
  expect({ status, error: body.error }).toMatchObject({
    status: 400,
    error: { type: 'invalid_request_error', code, param },
  })
})

test('the error names a missing parameter', async () => {
  const { amount: _1, ...form } = await newIntent()
  expect((await send('payment_intents', form)).body.error).toMatchObject({
    code: 'parameter_missing',
    message: 'Missing required param: amount.',
  })
  const { 'card[number]': _2, ...card } = method
  expect((await send('payment_methods', card)).body.error).toMatchObject({ param: 'card[number]' })
})

test.each([
  [{ authorization: 'Bearer sk_test_other' }, 401],
  [{ 'stripe-version': '2020-08-27' }, 400],
  [{ 'content-type': 'application/json' }, 400],
  [{ 'x-stripe-client-telemetry': '{}' }, 400],
])('headers %j are refused with %i', async (headers, status) => {
  expect((await send('payment_methods', method, headers)).status).toBe(status)
})

test('unused endpoints are 404', async () => {
  expect((await send('charges', {})).status).toBe(404)
  expect((await send('payment_intents/search?query=x', null)).status).toBe(404)
})

test('a PaymentMethod without a Customer can be used once', async () => {
  const { body } = await send('payment_methods', method)
  const { customer: _, ...form } = { ...(await newIntent()), payment_method: String(body['id']) }
  expect((await send('payment_intents', form)).body['status']).toBe('requires_capture')
  const again = await send('payment_intents', form)
  expect(again.body.error?.['message']).toMatch('may not be used again')
})

test('a PaymentMethod of one Customer cannot be used for another', async () => {
  const form = { ...(await newIntent()), customer: (await createCard()).customer }
  expect((await send('payment_intents', form)).status).toBe(400)
})

test('an idempotency key replays, is 409 while in progress, and 400 with other parameters', async () => {
  const form = await newIntent()
  const key = { 'idempotency-key': 'k1' }
  server.fault('slow', 'authorize', 1_000)
  const begun = server.requests.length
  const first = send('payment_intents', form, key)
  await expect.poll(() => server.requests.length).toBe(begun + 1)
  const meanwhile = await send('payment_intents', form, key)
  expect(meanwhile).toMatchObject({ status: 409, body: { error: { code: 'idempotency_key_in_use' } } })
  const { body } = await first
  expect(await send('payment_intents', form, key)).toEqual({ status: 200, replayed: 'true', body })
  expect(await send('payment_intents', { ...form, amount: '1076' }, key)).toMatchObject({
    status: 400,
    body: { error: { type: 'idempotency_error' } },
  })
  const refused = { 'idempotency-key': 'k2' }
  await send('payment_intents', { ...form, amount: 'x' }, refused)
  expect(
    (await send('payment_intents', form, refused)).status,
    'the response to an invalid request is not stored',
  ).toBe(200)
})

test('an intent has the documented life cycle', async () => {
  const { body } = await send('payment_intents', await newIntent())
  const id = String(body['id'])
  expect(body).toMatchObject({ status: 'requires_capture', amount_capturable: 1075, amount_received: 0 })
  expect((await send('refunds', { payment_intent: id })).body.error).toMatchObject({
    code: 'payment_intent_unexpected_state',
  })
  const captured = await send(`payment_intents/${id}/capture`, {})
  expect(captured.body).toMatchObject({ status: 'succeeded', amount_capturable: 0, amount_received: 1075 })
  for (const move of ['capture', 'cancel'])
    expect((await send(`payment_intents/${id}/${move}`, {})).body.error).toMatchObject({
      code: 'payment_intent_unexpected_state',
      payment_intent: { id, status: 'succeeded' },
    })
  await send('refunds', { payment_intent: id })
  expect((await send('refunds', { payment_intent: id })).body.error).toMatchObject({
    code: 'charge_already_refunded',
  })
  const read = await send(`payment_intents/${id}?expand[0]=latest_charge`, null)
  expect(read.body).toMatchObject({ latest_charge: { amount_refunded: 1075, refunded: true } })
})

test('a cancellation and a partial capture are no refunds (2025-03-31.basil)', async () => {
  for (const [move, form] of [
    ['cancel', {}],
    ['capture', { amount_to_capture: '75' }],
  ] as const) {
    const { body } = await send('payment_intents', await newIntent())
    await send(`payment_intents/${String(body['id'])}/${move}`, form)
    const read = await send(`payment_intents/${String(body['id'])}?expand[0]=latest_charge`, null)
    expect(read.body).toMatchObject({ latest_charge: { amount_refunded: 0, refunded: false } })
  }
})

test('a charge cannot be refunded while it is disputed or its dispute is lost, but during an inquiry', async () => {
  const { body } = await send('payment_intents', await newIntent())
  const id = String(body['id'])
  await send(`payment_intents/${id}/capture`, {})
  const dispute = server.state.afterSale.addDispute(id, 75)
  for (const status of ['needs_response', 'under_review', 'appeal_under_review', 'lost']) {
    dispute.status = status
    const refused = await send('refunds', { payment_intent: id, amount: '1' })
    expect(refused.body.error).toMatchObject({ code: 'charge_disputed' })
  }
  for (const status of ['warning_needs_response', 'won']) {
    dispute.status = status
    expect((await send('refunds', { payment_intent: id, amount: '1' })).status).toBe(200)
  }
})

test.each(['customer=cus_unknown', 'starting_after=pi_unknown'])(
  'a list with %s is refused',
  async (query) => {
    expect((await send(`payment_intents?${query}`, null)).body.error).toMatchObject({
      code: 'resource_missing',
      param: query.split('=')[0],
    })
  },
)
