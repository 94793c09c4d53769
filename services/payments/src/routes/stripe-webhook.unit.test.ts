import { Writable } from 'node:stream'
import { cents } from '@platter/contracts'
import { createApp, readJson, type App, type Log } from '@platter/kit'
import fc from 'fast-check'
import { pino } from 'pino'
import { Stripe } from 'stripe'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createEventReader } from '#/outside/stripe-events.ts'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { commandExecutor } from '#/command-executor.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'
import { memoryAuthorizations } from '#/testing/memory-authorizations.ts'
import { SECRET_KEY, StripeServer } from '#/testing/stripe-server.ts'
import { stripeEventHandler } from '#/stripe-event-handler.ts'
import { stripeWebhook } from '#/routes/stripe-webhook.ts'

const SECRET = 'whsec_of_the_test'
const CARD = { cardNumber: '4242424242424242', cvv: '314', expirationMonth: '05', expirationYear: '39' }
const AMOUNT = cents(1075)

let server: StripeServer
let processor: StripeProcessor
let authorizations: AuthorizationStore
let handled: Set<string>
let app: App
let logged: string

beforeEach(async () => {
  logged = ''
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString()
      done()
    },
  })
  const log: Log = pino({ level: 'info' }, sink)
  server = new StripeServer()
  const url = await server.listen()
  processor = new StripeProcessor({ secretKey: SECRET_KEY, currency: 'usd', url })
  authorizations = memoryAuthorizations()
  handled = new Set()
  const events = {
    isHandled: async (id: string) => handled.has(id),
    markHandled: async (id: string) => void handled.add(id),
  }
  app = createApp(log)
  readJson(app)
  stripeWebhook(app, {
    read: createEventReader(SECRET),
    handle: stripeEventHandler({ events, authorizations, processor, log }),
  })
})
afterEach(async () => {
  await app.close()
  await processor.close()
  await server.close()
})

/** An order that Stripe has authorized, and whose row is still `sent`. */
async function authorizedAtStripe(reference = 'o1', cardNumber = CARD.cardNumber) {
  const made = await processor.tokenize({ ...CARD, cardNumber })
  if (made.kind !== 'yes') throw new Error('no token')
  const { token } = made
  await authorizations.findOrCreate(reference, { amount: AMOUNT, token })
  const call = { idempotencyKey: `${reference}:authorize:1`, reference, amount: AMOUNT, token }
  const answer = await processor.authorize(call)
  return { id: answer.kind === 'yes' ? answer.id : '', token }
}

const stateOf = async (reference = 'o1') => (await authorizations.find(reference))?.state
const reads = () => server.requests.filter(({ kind }) => kind === 'read').length

let count = 0
const event = (intent: object, more: object = {}) =>
  JSON.stringify({
    id: `evt_${++count}`,
    object: 'event',
    type: 'payment_intent.amount_capturable_updated',
    data: { object: { object: 'payment_intent', ...intent } },
    ...more,
  })

const sign = (payload: string, secret = SECRET, ageSeconds = 0) =>
  Stripe.webhooks.generateTestHeaderString({
    payload,
    secret,
    timestamp: Math.floor(Date.now() / 1000) - ageSeconds,
  })

async function deliver(payload: string | Buffer, signature = sign(String(payload))) {
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  const { statusCode } = await app.inject({ method: 'POST', url: '/webhooks/stripe', headers, payload })
  return statusCode
}

describe('an event', () => {
  test('moves the row by the intent as read from Stripe, whatever the body states', async () => {
    const { id } = await authorizedAtStripe()
    expect(await deliver(event({ id, status: 'canceled', amount: 1 }))).toBe(200)
    expect(await stateOf()).toBe('authorized')
    expect(await authorizations.find('o1')).toMatchObject({ processorId: id, amount: AMOUNT })
  })

  test('saves a call: the command is replied to from the row', async () => {
    const { id, token } = await authorizedAtStripe()
    await deliver(event({ id }))
    const execute = commandExecutor({ authorizations, processor, log: pino({ level: 'silent' }) })
    const before = server.requests.length
    const row = (await authorizations.find('o1'))!
    expect(await execute({ kind: 'authorize', amount: AMOUNT, token }, row)).toMatchObject({ kind: 'done' })
    expect(server.requests.length).toBe(before)
  })

  test('that is repeated reads the intent once', async () => {
    const { id } = await authorizedAtStripe()
    const payload = event({ id })
    expect([await deliver(payload), await deliver(payload)]).toEqual([200, 200])
    expect(reads()).toBe(1)
  })

  test('that is late or out of order never moves the row back', async () => {
    const { id } = await authorizedAtStripe()
    const early = event({ id })
    await processor.capture({ idempotencyKey: 'c', id, amount: AMOUNT })
    await deliver(event({ id }, { type: 'payment_intent.succeeded' }))
    expect(await stateOf()).toBe('captured')
    await deliver(early)
    expect(await stateOf()).toBe('captured')
  })

  test('of a manual refund moves the row too', async () => {
    const { id } = await authorizedAtStripe()
    await processor.capture({ idempotencyKey: 'c', id, amount: AMOUNT })
    await processor.refund({ idempotencyKey: 'r', id, amount: AMOUNT })
    const charge = { data: { object: { object: 'charge', id: 'ch_1', payment_intent: id } } }
    expect(await deliver(event({}, { ...charge, type: 'charge.refunded' }))).toBe(200)
    expect(await stateOf()).toBe('refunded')
  })

  test('of a declined card moves the row to declined, with a code of the problem catalogue', async () => {
    await authorizedAtStripe('o1', '4000000000000341')
    expect(await stateOf()).toBe('sent')
    expect(await deliver(event({ id: 'pi_unknown' }))).toBe(200)
    const found = server.state.find({ limit: 1 })
    await deliver(event({ id: found.data[0]?.id }, { type: 'payment_intent.payment_failed' }))
    expect(await authorizations.find('o1')).toMatchObject({
      state: 'declined',
      refusal: { code: 'card-declined', declineCode: 'generic_decline' },
    })
  })

  test('while Stripe is unavailable is refused with 503 and not marked, so that Stripe repeats it', async () => {
    const { id } = await authorizedAtStripe()
    const payload = event({ id })
    server.fault('error-before-effect', 'read')
    expect(await deliver(payload)).toBe(503)
    expect(handled.size).toBe(0)
    expect(await deliver(payload)).toBe(200)
    expect(await stateOf()).toBe('authorized')
  })

  test('about another amount than requested moves nothing, and is logged as an error for operators', async () => {
    const { id } = await authorizedAtStripe()
    server.fault('wrong-amount', 'read')
    expect(await deliver(event({ id }))).toBe(200)
    expect(await stateOf()).toBe('sent')
    expect(logged).toMatch(/"level":50.*an operator must decide/)
  })

  test('about another sale of the account is ignored', async () => {
    const { id } = await authorizedAtStripe('o2')
    for (const metadata of [{}, { orderApiKey: 'another-order' }] as Record<string, string>[]) {
      server.state.change(id, { metadata })
      expect(await deliver(event({ id }))).toBe(200)
    }
    expect(await deliver(event({ object: 'customer', id: 'cus_1' }))).toBe(200)
    expect(await stateOf('o2')).toBe('sent')
  })
})

describe('400, and no call to Stripe, for an event', () => {
  test.each<[string, (payload: string) => [string | Buffer, string?]]>([
    ['with the signature of another secret', (payload) => [payload, sign(payload, 'whsec_other')]],
    ['that was altered in transit', (payload) => [payload.replace('evt_', 'evt_9'), sign(payload)]],
    ['without one space of the signed body', (payload) => [payload, sign(`${payload} `)]],
    ['that is older than five minutes', (payload) => [payload, sign(payload, SECRET, 301)]],
    ['with an unreadable signature', (payload) => [payload, 'v1=abc']],
    ['with an empty signature', (payload) => [payload, '']],
    ['that is signed, and not JSON', () => ['{', sign('{')]],
    ['that is signed, and not an event', () => ['{"id":1}', sign('{"id":1}')]],
    ['without a body', () => ['', sign('')]],
  ])('%s', async (_title, alter) => {
    const { id } = await authorizedAtStripe()
    const [payload, signature] = alter(event({ id }))
    expect(await deliver(payload, signature)).toBe(400)
    expect(reads()).toBe(0)
    expect(handled.size).toBe(0)
    expect(await stateOf()).toBe('sent')
  })

  test('that is noise', async () => {
    const noise = fc.uint8Array({ minLength: 1, maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(noise, fc.string(), async (bytes, signature) => {
        expect(await deliver(Buffer.from(bytes), signature.replaceAll(/[^\x20-\x7e]/g, ''))).toBe(400)
      }),
      { numRuns: 200 },
    )
    expect(server.requests).toEqual([])
  })
})

test('an event of just under five minutes ago is accepted', async () => {
  const { id } = await authorizedAtStripe()
  const payload = event({ id })
  expect(await deliver(payload, sign(payload, SECRET, 295))).toBe(200)
})

test('the other paths of the service still parse JSON', async () => {
  const { statusCode } = await app.inject({ method: 'POST', url: '/elsewhere', payload: {} })
  expect(statusCode).toBe(404)
})
