import { Writable } from 'node:stream'
import { cents } from '@platter/contracts'
import { createApp, readJson, type App, type Log } from '@platter/kit'
import fc from 'fast-check'
import { pino } from 'pino'
import { Stripe } from 'stripe'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createEventReader } from '#/outside/stripe-events.ts'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { createSettle } from '#/settle.ts'
import type { Authorizations } from '#/store/authorizations.ts'
import { memoryAuthorizations } from '#/testing/memory-authorizations.ts'
import { SECRET_KEY, StripeServer } from '#/testing/stripe-server.ts'
import { createTold } from '#/told.ts'
import { stripeWebhook } from '#/routes/stripe-webhook.ts'

const SECRET = 'whsec_of_the_test'
const CARD = { cardNumber: '4242424242424242', cvv: '314', expirationMonth: '05', expirationYear: '39' }
const AMOUNT = cents(1075)

let server: StripeServer
let processor: StripeProcessor
let authorizations: Authorizations
let remembered: Set<string>
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
  remembered = new Set()
  const events = {
    isKnown: async (id: string) => remembered.has(id),
    remember: async (id: string) => void remembered.add(id),
  }
  app = createApp(log)
  readJson(app)
  stripeWebhook(app, {
    read: createEventReader(SECRET),
    told: createTold({ events, authorizations, processor, log }),
  })
})
afterEach(async () => {
  await app.close()
  await processor.close()
  await server.close()
})

/** An order whose hold Stripe has, and whose row does not know it yet. */
async function heldAt(reference = 'o1', cardNumber = CARD.cardNumber) {
  const made = await processor.tokenize({ ...CARD, cardNumber })
  if (made.kind !== 'yes') throw new Error('no token')
  const { token } = made
  await authorizations.send(reference, { amount: AMOUNT, token })
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
  test('moves the row by what Stripe says when it is asked, whatever the body says', async () => {
    const { id } = await heldAt()
    expect(await deliver(event({ id, status: 'canceled', amount: 1 }))).toBe(200)
    expect(await stateOf()).toBe('authorized')
    expect(await authorizations.find('o1')).toMatchObject({ processorId: id, amount: AMOUNT })
  })

  test('spares the saga the question: it is answered from the row', async () => {
    const { id, token } = await heldAt()
    await deliver(event({ id }))
    const settle = createSettle({ authorizations, processor, log: pino({ level: 'silent' }) })
    const before = server.requests.length
    const row = (await authorizations.find('o1'))!
    expect(await settle({ kind: 'authorize', amount: AMOUNT, token }, row)).toMatchObject({ kind: 'done' })
    expect(server.requests.length).toBe(before)
  })

  test('that comes twice is looked into once', async () => {
    const { id } = await heldAt()
    const payload = event({ id })
    expect([await deliver(payload), await deliver(payload)]).toEqual([200, 200])
    expect(reads()).toBe(1)
  })

  test('that comes late, or before another one, takes nothing back', async () => {
    const { id } = await heldAt()
    const early = event({ id })
    await processor.capture({ idempotencyKey: 'c', id, amount: AMOUNT })
    await deliver(event({ id }, { type: 'payment_intent.succeeded' }))
    expect(await stateOf()).toBe('captured')
    await deliver(early)
    expect(await stateOf()).toBe('captured')
  })

  test('of a refund that somebody made by hand moves the row as well', async () => {
    const { id } = await heldAt()
    await processor.capture({ idempotencyKey: 'c', id, amount: AMOUNT })
    await processor.refund({ idempotencyKey: 'r', id, amount: AMOUNT })
    const charge = { data: { object: { object: 'charge', id: 'ch_1', payment_intent: id } } }
    expect(await deliver(event({}, { ...charge, type: 'charge.refunded' }))).toBe(200)
    expect(await stateOf()).toBe('refunded')
  })

  test('of a declined card makes the row declined, in our words', async () => {
    await heldAt('o1', '4000000000000341')
    expect(await stateOf()).toBe('sent')
    expect(await deliver(event({ id: 'pi_unknown' }))).toBe(200)
    const found = server.book.find({ limit: 1 })
    await deliver(event({ id: found.data[0]?.id }, { type: 'payment_intent.payment_failed' }))
    expect(await authorizations.find('o1')).toMatchObject({
      state: 'declined',
      refusal: { code: 'card-declined', declineCode: 'generic_decline' },
    })
  })

  test('while Stripe cannot be asked is answered with 503 and not remembered, so that it comes again', async () => {
    const { id } = await heldAt()
    const payload = event({ id })
    server.fault('error-before-effect', 'read')
    expect(await deliver(payload)).toBe(503)
    expect(remembered.size).toBe(0)
    expect(await deliver(payload)).toBe(200)
    expect(await stateOf()).toBe('authorized')
  })

  test('about money that is not as it was asked for moves nothing, and a person hears of it', async () => {
    const { id } = await heldAt()
    server.fault('wrong-amount', 'read')
    expect(await deliver(event({ id }))).toBe(200)
    expect(await stateOf()).toBe('sent')
    expect(logged).toMatch(/"level":50.*a person/)
  })

  test('about something else that the account sells is none of ours', async () => {
    const { id } = await heldAt('o2')
    for (const metadata of [{}, { orderApiKey: 'nobody' }] as Record<string, string>[]) {
      server.book.change(id, { metadata })
      expect(await deliver(event({ id }))).toBe(200)
    }
    expect(await deliver(event({ object: 'customer', id: 'cus_1' }))).toBe(200)
    expect(await stateOf('o2')).toBe('sent')
  })
})

describe('400, and nobody is asked, for an event', () => {
  test.each<[string, (payload: string) => [string | Buffer, string?]]>([
    ['with the signature of another secret', (payload) => [payload, sign(payload, 'whsec_other')]],
    ['that was altered on the way', (payload) => [payload.replace('evt_', 'evt_9'), sign(payload)]],
    ['of which one space is missing', (payload) => [payload, sign(`${payload} `)]],
    ['that is older than five minutes', (payload) => [payload, sign(payload, SECRET, 301)]],
    ['without a signature that can be read', (payload) => [payload, 'v1=abc']],
    ['with an empty signature', (payload) => [payload, '']],
    ['that is signed, and not JSON', () => ['{', sign('{')]],
    ['that is signed, and no event', () => ['{"id":1}', sign('{"id":1}')]],
    ['without a body', () => ['', sign('')]],
  ])('%s', async (_title, alter) => {
    const { id } = await heldAt()
    const [payload, signature] = alter(event({ id }))
    expect(await deliver(payload, signature)).toBe(400)
    expect(reads()).toBe(0)
    expect(remembered.size).toBe(0)
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

test('an event of just under five minutes ago is taken', async () => {
  const { id } = await heldAt()
  const payload = event({ id })
  expect(await deliver(payload, sign(payload, SECRET, 295))).toBe(200)
})

test('the other paths of the service still take JSON', async () => {
  const { statusCode } = await app.inject({ method: 'POST', url: '/elsewhere', payload: {} })
  expect(statusCode).toBe(404)
})
