import type { RequestListener } from 'node:http'
import { cents } from '@platter/contracts'
import { startHttpServer, type HttpServer } from '@platter/testkit/http-server'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { SECRET_KEY, StripeServer } from '#/testing/stripe-server.ts'
import { CALL_WITHIN_MS } from '#/outside/processor.ts'
import { StripeProcessor, type StripeSettings } from '#/outside/stripe-processor.ts'

const CARD = { cardNumber: '4242424242424242', cvv: '314', expirationMonth: '05', expirationYear: '39' }
const AMOUNT = cents(1075)

let server: StripeServer
let processor: StripeProcessor
let url: string
const processorAt = (address: string, more: Partial<StripeSettings> = {}) =>
  new StripeProcessor({
    secretKey: SECRET_KEY,
    currency: 'usd',
    url: address,
    ...more,
  })

beforeEach(async () => {
  server = new StripeServer()
  url = await server.listen()
  processor = processorAt(url)
})
afterEach(async () => {
  await processor.close()
  await server.close()
})

async function tokenOf(cardNumber = CARD.cardNumber): Promise<string> {
  const made = await processor.tokenize({ ...CARD, cardNumber })
  if (made.kind !== 'yes') throw new Error(`no token: ${JSON.stringify(made)}`)
  return made.token
}
const orderWith = (token: string, reference = 'o1') => ({
  idempotencyKey: `${reference}:authorize:1`,
  reference,
  amount: AMOUNT,
  token,
})
async function idOf(call: ReturnType<StripeProcessor['authorize']>): Promise<string> {
  const result = await call
  if (result.kind !== 'yes') throw new Error(`not authorized: ${JSON.stringify(result)}`)
  return result.id
}
const kinds = () => server.requests.map(({ kind }) => kind)

describe('requests to Stripe', () => {
  test('have exactly the documented parameters, the given idempotency key, and no telemetry', async () => {
    const token = await tokenOf()
    const id = await idOf(processor.authorize(orderWith(token)))
    await processor.capture({ idempotencyKey: 'c', id, amount: AMOUNT })
    await processor.refund({ idempotencyKey: 'r', id, amount: AMOUNT })
    const [customer, method] = token.split(':')
    expect(server.requests.map(({ kind, params }) => ({ kind, params }))).toEqual([
      {
        kind: 'tokenize',
        params: {
          type: 'card',
          card: { number: CARD.cardNumber, cvc: '314', exp_month: 5, exp_year: 2039 },
        },
      },
      { kind: 'attach', params: { payment_method: method } },
      {
        kind: 'authorize',
        params: {
          amount: 1075,
          currency: 'usd',
          customer,
          payment_method: method,
          allowed_payment_method_types: ['card'],
          capture_method: 'manual',
          confirm: true,
          error_on_requires_action: true,
          metadata: { orderApiKey: 'o1' },
        },
      },
      { kind: 'capture', params: { amount_to_capture: 1075 } },
      { kind: 'refund', params: { payment_intent: id, amount: 1075 } },
    ])
    const keys = server.requests.slice(2).map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual(['o1:authorize:1', 'c', 'r'])
    for (const { headers } of server.requests) {
      expect(headers['stripe-version']).toBe('2026-10-28.endive')
      expect(headers).not.toHaveProperty('x-stripe-client-telemetry')
    }
  })

  test('are sent once per call, also when the connection breaks', async () => {
    const token = await tokenOf()
    server.fault('drop-request', 'authorize')
    expect(await processor.authorize(orderWith(token))).toMatchObject({ kind: 'unknown' })
    expect(kinds().filter((kind) => kind === 'authorize')).toHaveLength(1)
  })
})

test('the street and ZIP code of the cardholder are sent with a new card, by number and by token', async () => {
  const holder = { name: 'Maria Lindqvist', street: '316 W Washington Ave', zip: '53703' }
  const billing_details = {
    name: 'Maria Lindqvist',
    address: { line1: '316 W Washington Ave', postal_code: '53703' },
  }
  await processor.tokenize(CARD, holder)
  expect(server.requests[0]).toMatchObject({ kind: 'tokenize', params: { billing_details } })
  const card = { number: CARD.cardNumber, cvc: '314', exp_month: 5, exp_year: 2039 }
  await processor.tokenize({ processorToken: server.state.newClientToken(card) }, holder)
  expect(server.requests.at(-1)).toMatchObject({ kind: 'describe', params: { billing_details } })
})

test('statementSuffix and savesCard add exactly one parameter each to the authorization', async () => {
  const token = await tokenOf()
  await idOf(processor.authorize({ ...orderWith(token), statementSuffix: 'Aurora Sli', savesCard: true }))
  await idOf(processor.authorize({ ...orderWith(token, 'o2'), savesCard: false }))
  const [saved, once] = server.requests.slice(-2).map(({ params }) => params as object)
  const more = { statement_descriptor_suffix: 'Aurora Sli', setup_future_usage: 'on_session' }
  expect(saved).toEqual({ ...once, metadata: { orderApiKey: 'o1' }, ...more })
})

describe('card that requires an authentication', () => {
  const declined = { kind: 'no', code: 'card_declined', declineCode: 'authentication_required' }

  test('is declined, and the intent is cancelled', async () => {
    const token = await tokenOf('4000002500003155')
    expect(await processor.authorize(orderWith(token))).toEqual(declined)
    expect(kinds().slice(2)).toEqual(['authorize', 'void'])
    expect(await processor.authorize(orderWith(token))).toEqual(declined)
    expect(await processor.find(orderWith(token))).toEqual({ kind: 'yes', found: [] })
    expect(server.state.effects).toEqual([])
  })

  test('is declined, and the intent is cancelled, when Stripe returns requires_action', async () => {
    const token = await tokenOf('4000002500003155')
    server.state.isActionRequired = true
    expect(await processor.authorize(orderWith(token))).toEqual(declined)
    expect(kinds().slice(2)).toEqual(['authorize', 'void'])
  })

  test.each([
    ['https://shop.example/paid', 'https://platter.example/payment-return', 'https://shop.example/paid'],
    ['shop.example://paid', null, 'shop.example://paid'],
    [null, 'https://platter.example/payment-return', 'https://platter.example/payment-return'],
  ])('returns to the URL %s of the client, or else the configured %s', async (given, fallback, expected) => {
    const own = processorAt(url, { returnUrl: fallback })
    const order = orderWith(await tokenOf('4000002760003184'))
    const result = await own.authorize({ ...order, authentication: { returnUrl: given } })
    expect(result).toMatchObject({ kind: 'challenge' })
    expect(server.requests.at(-1)?.params).toMatchObject({ return_url: expected })
    await own.close()
  })

  test('has a client secret for Stripe.js, and the URL of the client, if the bank has no page', async () => {
    server.state.isActionOfLibrary = true
    const page = 'https://shop.example/paid'
    const order = { ...orderWith(await tokenOf('4000002760003184')), authentication: { returnUrl: page } }
    const challenge = await processor.authorize(order)
    if (challenge.kind !== 'challenge') throw new Error(`no challenge: ${JSON.stringify(challenge)}`)
    expect(challenge).toMatchObject({ url: page })
    expect(challenge.clientSecret).toMatch(/^secret_/)
    const { id } = challenge
    expect(await processor.check({ id, authentication: order.authentication })).toEqual(challenge)
    server.state.endChallenge(id, 'yes')
    expect(await processor.check({ id, authentication: order.authentication })).toMatchObject({
      kind: 'yes',
      status: 'authorized',
    })
  })

  test('is declined without a return URL', async () => {
    const order = orderWith(await tokenOf('4000002760003184'))
    expect(await processor.authorize({ ...order, authentication: { returnUrl: null } })).toEqual(declined)
  })

  test('has an unknown outcome until the intent is cancelled', async () => {
    const token = await tokenOf('4000002500003155')
    server.fault('drop-request', 'void')
    expect(await processor.authorize(orderWith(token))).toMatchObject({ kind: 'unknown' })
    server.fault('drop-reply', 'void')
    expect(await processor.authorize(orderWith(token))).toMatchObject({ kind: 'unknown' })
    expect(await processor.authorize(orderWith(token))).toEqual(declined)
  })
})

test('a decline at the authorization is returned again under the same key', async () => {
  const token = await tokenOf('4000000000000341')
  const declined = { kind: 'no', code: 'card_declined', declineCode: 'generic_decline' }
  expect(await processor.authorize(orderWith(token))).toEqual(declined)
  expect(await processor.authorize(orderWith(token))).toEqual(declined)
  expect(await processor.find(orderWith(token))).toEqual({ kind: 'yes', found: [] })
})

test('an authorization without a response is found after the configured return page has changed', async () => {
  const order = { ...orderWith(await tokenOf()), authentication: { returnUrl: null } }
  server.fault('drop-reply', 'authorize')
  expect(await processor.authorize(order)).toMatchObject({ kind: 'unknown' })
  const changed = processorAt(url, { returnUrl: 'https://platter.example/payment-return' })
  expect(await changed.authorize(order)).toMatchObject({ kind: 'yes', amount: AMOUNT })
  await changed.close()
})

describe('a 5xx that Stripe replays under the key', () => {
  test('leaves an authorization without effect unknown, and is followed by no effect', async () => {
    const token = await tokenOf()
    server.fault('error-before-effect', 'authorize')
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await processor.authorize(orderWith(token))).toMatchObject({ kind: 'unknown' })
    expect(server.state.effects).toEqual([])
  })

  test('is followed by the final refusal of a declined authorization', async () => {
    const token = await tokenOf('4000000000000341')
    server.fault('error-after-effect', 'authorize')
    expect(await processor.authorize(orderWith(token))).toMatchObject({ kind: 'unknown' })
    expect(await processor.authorize(orderWith(token))).toMatchObject({
      kind: 'no',
      declineCode: 'generic_decline',
    })
  })

  test.each(['capture', 'void', 'refund'] as const)(
    'is followed by exactly one effect of a repeated %s',
    async (move) => {
      const id = await idOf(processor.authorize(orderWith(await tokenOf())))
      if (move === 'refund') await processor.capture({ idempotencyKey: 'c', id, amount: AMOUNT })
      const before = server.state.effects.length
      server.fault('error-before-effect', move)
      const call = () => processor[move]({ idempotencyKey: 'k', id, amount: AMOUNT })
      expect(await call()).toMatchObject({ kind: 'unknown' })
      expect(await call()).toEqual({ kind: 'yes', id, amount: AMOUNT })
      expect(await call()).toEqual({ kind: 'yes', id, amount: AMOUNT })
      expect(server.state.effects.slice(before).map(({ kind }) => kind)).toEqual([move])
    },
  )
})

describe('a response that differs from the request', () => {
  test('is reported in differs when it has another currency or another order', async () => {
    const token = await tokenOf()
    server.fault('other-currency', 'authorize')
    expect(await processor.authorize(orderWith(token))).toMatchObject({
      kind: 'yes',
      differs: 'the processor has the currency eur, not usd',
    })
    server.fault('other-order', 'authorize')
    expect(await processor.authorize(orderWith(token, 'o2'))).toMatchObject({
      kind: 'yes',
      differs: 'the processor has it for order another-order',
    })
    const id = await idOf(processor.authorize(orderWith(token, 'o3')))
    for (const on of ['capture', 'refund'] as const) {
      server.fault('other-currency', on)
      expect(await processor[on]({ idempotencyKey: on, id, amount: AMOUNT })).toHaveProperty('differs')
    }
    server.fault('other-currency', 'find')
    expect(await processor.find(orderWith(token, 'o3'))).toMatchObject({
      found: [{ differs: 'the processor has the currency eur, not usd' }],
    })
  })

  test('a configured currency is requested and expected', async () => {
    const inEuros = processorAt(url, { currency: 'eur' })
    const result = await inEuros.authorize(orderWith(await tokenOf()))
    expect(result).toMatchObject({ kind: 'yes', amount: AMOUNT })
    expect(result).not.toHaveProperty('differs')
    await inEuros.close()
  })
})

test('find reads all intents of a card in pages, and returns only those of the order', async () => {
  const token = await tokenOf()
  const id = await idOf(processor.authorize(orderWith(token, 'first')))
  for (let more = 0; more < 24; more++) await processor.authorize(orderWith(token, `more-${more}`))
  expect(await processor.find(orderWith(token, 'first'))).toEqual({
    kind: 'yes',
    found: [{ id, amount: AMOUNT, status: 'authorized' }],
  })
  expect(kinds().filter((kind) => kind === 'find')).toHaveLength(3)
})

test('a look-up returns the authorized or captured amount, not the requested one', async () => {
  const token = await tokenOf()
  const id = await idOf(processor.authorize(orderWith(token)))
  server.state.change(id, { amount_capturable: 900 })
  expect(await processor.find(orderWith(token))).toMatchObject({
    found: [{ status: 'authorized', amount: 900 }],
  })
  await processor.capture({ idempotencyKey: 'c', id, amount: cents(800) })
  expect(await processor.find(orderWith(token))).toMatchObject({
    found: [{ status: 'captured', amount: 800 }],
  })
})

test('an intent with the status processing is an unknown outcome', async () => {
  const token = await tokenOf()
  const id = await idOf(processor.authorize(orderWith(token)))
  server.state.change(id, { status: 'processing' })
  expect(await processor.find(orderWith(token))).toMatchObject({ kind: 'unknown' })
})

test('an expired authorization is found as voided', async () => {
  const token = await tokenOf()
  const id = await idOf(processor.authorize(orderWith(token)))
  server.state.void(id)
  expect(await processor.capture({ idempotencyKey: 'c', id, amount: AMOUNT })).toMatchObject({
    kind: 'no',
    code: 'payment_intent_unexpected_state',
  })
  expect(await processor.find(orderWith(token))).toMatchObject({
    found: [{ status: 'voided', amount: AMOUNT }],
  })
})

test('a secret key that Stripe rejects leaves the outcome unknown, and needs an operator', async () => {
  const token = await tokenOf()
  const stranger = processorAt(url, { secretKey: 'sk_test_wrong' })
  expect(await stranger.authorize(orderWith(token))).toMatchObject({ kind: 'unknown', needsOperator: true })
  expect(await stranger.tokenize(CARD)).toMatchObject({ kind: 'unknown', needsOperator: true })
  await stranger.close()
})

describe('response of a faulty server', () => {
  let hostile: HttpServer
  let received: string[]
  let victim: StripeProcessor
  let listener: RequestListener

  beforeEach(async () => {
    received = []
    hostile = await startHttpServer((request, response) => {
      received.push(request.url ?? '')
      request.resume().on('end', () => listener(request, response))
    })
    victim = processorAt(hostile.url)
  })
  afterEach(async () => {
    await victim.close()
    await hostile.close()
  })

  const intent = {
    id: 'pi_1',
    object: 'payment_intent',
    status: 'requires_capture',
    amount: 1075,
    amount_capturable: 1075,
    amount_received: 0,
    currency: 'usd',
    metadata: { orderApiKey: 'o1' },
    last_payment_error: null,
    latest_charge: null,
  }
  const authorize = () => victim.authorize(orderWith('cus_1:pm_1'))
  const respondWith = (status: number, body: object | string) => {
    listener = (_request, response) =>
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  test('is accepted when it is intact', async () => {
    respondWith(200, intent)
    expect(await authorize()).toEqual({ kind: 'yes', id: 'pi_1', amount: 1075 })
  })

  test.each([
    [200, 'not JSON'],
    [200, '[]'],
    [200, 'null'],
    [200, {}],
    [200, { ...intent, amount_capturable: '1075' }],
    [200, { ...intent, amount_capturable: 10.75 }],
    [200, { ...intent, id: 'ch_1' }],
    [200, { ...intent, id: 'pi_\u0000' }],
    [200, { ...intent, status: 'succeeded' }],
    [200, { ...intent, status: 'something_new' }],
    [302, intent],
    [502, intent],
    [503, '<html>'],
    [404, '<html>'],
    [400, { error: { type: 'something_new', message: '' } }],
    [400, { error: 'a text' }],
    [408, { error: { type: 'invalid_request_error' } }],
    [409, { error: { type: 'idempotency_error' } }],
    [409, { error: { type: 'invalid_request_error', code: 'something' } }],
    [424, { error: { type: 'api_error' } }],
    [429, { error: { type: 'invalid_request_error', code: 'lock_timeout' } }],
    [500, { error: { type: 'card_error', code: 'card_declined' } }],
    [500, { error: { type: 'invalid_request_error' } }],
  ])('a response %i %j is an unknown outcome', async (status, body) => {
    respondWith(status, body)
    expect(await authorize()).toMatchObject({ kind: 'unknown' })
  })

  test.each([
    [400, { type: 'idempotency_error' }, true],
    [401, { type: 'invalid_request_error' }, true],
    [403, { type: 'invalid_request_error' }, true],
    [409, { type: 'idempotency_error', code: 'idempotency_key_in_use' }, false],
    [424, { type: 'invalid_request_error' }, false],
    [429, { type: 'invalid_request_error', code: 'rate_limit' }, false],
    [500, { type: 'api_error' }, false],
  ])('an error %i %j is an unknown outcome (needs an operator: %s)', async (status, error, needsOperator) => {
    respondWith(status, { error })
    const result = await authorize()
    expect(result.kind).toBe('unknown')
    expect('needsOperator' in result).toBe(needsOperator)
  })

  test.each([
    [
      402,
      { type: 'card_error', code: 'card_declined', decline_code: 'lost_card' },
      'card_declined',
      'lost_card',
    ],
    [
      402,
      { type: 'card_error', code: 'card_declined', decline_code: 'expired_card' },
      'expired_card',
      'expired_card',
    ],
    [
      402,
      { type: 'card_error', code: 'card_declined', decline_code: 'invalid_cvc' },
      'incorrect_cvc',
      'invalid_cvc',
    ],
    [402, { type: 'card_error', code: 'expired_card' }, 'expired_card', 'expired_card'],
    [402, { type: 'card_error', code: 'incorrect_cvc', decline_code: '' }, 'incorrect_cvc', 'incorrect_cvc'],
    [402, { type: 'card_error' }, 'card_declined', 'generic_decline'],
    [
      402,
      { type: 'card_error', code: 'card_declined', decline_code: 'do_not\u0000\uD800\u009Bhonor' },
      'card_declined',
      'do_not \uFFFD honor',
    ],
    [402, { type: 'invalid_request_error', code: 'in\u0000valid' }, 'in valid', 'in valid'],
    [402, { type: 'invalid_request_error' }, 'invalid_request', 'invalid_request'],
    [
      400,
      { type: 'invalid_request_error', code: 'amount_too_small' },
      'amount_too_small',
      'amount_too_small',
    ],
    [
      404,
      { type: 'invalid_request_error', code: 'resource_missing' },
      'resource_missing',
      'resource_missing',
    ],
  ])('an error %i %j is a final refusal: %s, %s', async (status, error, code, declineCode) => {
    respondWith(status, { error })
    expect(await authorize()).toEqual({ kind: 'no', code, declineCode })
  })

  test('a redirect is not followed, and its target receives no card', async () => {
    listener = (_request, response) =>
      response.writeHead(307, { location: `${url}/v1/payment_methods` }).end('{}')
    expect(await victim.tokenize(CARD)).toMatchObject({ kind: 'unknown' })
    expect(server.requests).toEqual([])
  })

  test('is an unknown outcome above the size limit', async () => {
    respondWith(200, { ...intent, padding: 'x'.repeat(2 * 1024 * 1024) })
    expect(await authorize()).toEqual({
      kind: 'unknown',
      reason: 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
    })
  })

  test('is aborted at the time limit when its bytes drip', async () => {
    listener = (_request, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    }
    const timeout = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timeout.mockRestore())
    const call = authorize()
    await expect.poll(() => received).toHaveLength(1)
    const limits = timeout.mock.calls.filter(([, delayMs]) => delayMs === CALL_WITHIN_MS)
    expect(limits).toHaveLength(1)
    limits[0]?.[0]()
    expect(await call).toEqual({ kind: 'unknown', reason: 'TimeoutError' })
    expect(received).toHaveLength(1)
  })

  test('no result contains the card number, even when the response does', async () => {
    for (const status of [400, 402, 500]) {
      respondWith(status, {
        error: { type: 'card_error', code: 'incorrect_number', message: CARD.cardNumber },
      })
      expect(JSON.stringify(await victim.tokenize(CARD))).not.toContain(CARD.cardNumber)
    }
  })
})
