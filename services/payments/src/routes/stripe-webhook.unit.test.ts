import { cents } from '@platter/contracts'
import { createApp, createLog, Problem, readJson, type App } from '@platter/kit'
import fc from 'fast-check'
import { Stripe } from 'stripe'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createEventReader } from '#/outside/stripe-events.ts'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { chargeMirror, type ChargeMirror } from '#/mirror-charges.ts'
import { memoryChargeMirrors } from '#/testing/memory-charge-mirrors.ts'
import type { MirrorRow } from '#/store/charge-mirrors.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'
import { setRefundsOf } from '#/send-mirrors.ts'
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
let mirrors: ReturnType<typeof memoryChargeMirrors>
let mirror: ChargeMirror
/** Refunds of this platform that have failed at the processor. */
let returned: string[]
const refunds = {
  known: async (keys: readonly string[]) => new Set(keys),
  markReturned: async (keys: readonly string[]) => void returned.push(...keys),
  markWhollyRefunded: async () => undefined,
}
let handled: number
/** The orders in notifications. */
let notified: string[]
const notify = vi.fn<(orderApiKey: string) => Promise<void>>(
  async (orderApiKey) => void notified.push(orderApiKey),
)
let app: App
/** Charge mirrors that were sent to orders. */
let sent: MirrorRow[]
/** Card details that were sent to accounts. */
let cardsSet: object[]
const send = async (row: MirrorRow) => void sent.push(row)

beforeEach(async () => {
  notified = []
  sent = []
  cardsSet = []
  const log = createLog('payments', 'silent')
  server = new StripeServer()
  const url = await server.listen()
  processor = new StripeProcessor({ secretKey: SECRET_KEY, currency: 'usd', url })
  authorizations = memoryAuthorizations()
  handled = 0
  const events = { recordHandled: async () => void (handled += 1) }
  app = createApp(log)
  readJson(app)
  mirrors = memoryChargeMirrors()
  returned = []
  mirror = chargeMirror({ reads: processor, mirrors, refunds, authorizations, send, log })
  stripeWebhook(app, '/webhooks/stripe', {
    read: createEventReader(SECRET),
    handle: stripeEventHandler({
      events,
      processor,
      mirror,
      notify,
      setCard: async (card) => void cardsSet.push(card),
    }),
  })
})
afterEach(async () => {
  await app.close()
  await processor.close()
  await server.close()
})

/** Authorizes an order at Stripe. Its row is still `sent`. */
async function authorizeAtStripe() {
  const made = await processor.tokenize(CARD)
  if (made.kind !== 'yes') throw new Error('no token')
  const { token } = made
  await authorizations.findOrCreate('o1', { amount: AMOUNT, token })
  const call = { idempotencyKey: 'o1:authorize:1', reference: 'o1', amount: AMOUNT, token }
  const result = await processor.authorize(call)
  return { id: result.kind === 'yes' ? result.id : '' }
}

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

describe('event', () => {
  const aboutOrder = { id: 'pi_1', metadata: { orderApiKey: 'o1' } }

  test('about an order notifies orders, without a request to Stripe', async () => {
    expect(await deliver(event(aboutOrder))).toBe(200)
    expect(notified).toEqual(['o1'])
    expect(server.requests).toEqual([])
    expect(handled).toBe(1)
  })

  test('about another sale of the Stripe account, or about no sale, is ignored', async () => {
    expect(await deliver(event({ id: 'pi_1', metadata: {} }))).toBe(200)
    expect(await deliver(event({ object: 'customer', id: 'cus_1' }))).toBe(200)
    expect(await deliver(event({ object: 'balance' }))).toBe(200)
    expect(notified).toEqual([])
  })

  test('does not count as handled until orders is notified; its repetition is 200', async () => {
    const payload = event(aboutOrder)
    notify.mockRejectedValueOnce(new Problem('service-unavailable'))
    expect(await deliver(payload)).toBe(503)
    expect(handled).toBe(0)
    expect(await deliver(payload)).toBe(200)
    expect(handled).toBe(1)
  })
})

const readMirror = async () => {
  const row = await mirrors.find('o1')
  return row && [row.refunds.map(({ amount }) => amount), row.disputes.map(({ state }) => state)]
}
const captureOrder = async () => {
  const { id } = await authorizeAtStripe()
  await processor.capture({ idempotencyKey: 'c', id, amount: AMOUNT })
  await authorizations.move((await authorizations.find('o1'))!, { state: 'captured', processorId: id })
  const charge = server.state.read(id, { expand: ['latest_charge'] }).latest_charge as { id: string }
  return { id, charge: charge.id }
}
const eventAbout = (type: string, object: object) => event({}, { type, data: { object } })

const recentPeriod = () => {
  const now = Math.floor(Date.now() / 1_000) + 1
  return { from: now - 60, now }
}

describe('refund or dispute at Stripe', () => {
  /** The shapes of the events of several API versions (docs.stripe.com/upgrades). */
  type Shape = [string, (sale: { id: string; charge: string }) => string]
  const SHAPES: Shape[] = [
    [
      'charge.refunded',
      ({ id, charge }) => eventAbout('charge.refunded', { object: 'charge', id: charge, payment_intent: id }),
    ],
    [
      'charge.refunded with its list of refunds, before version 2022-11-15',
      ({ id, charge }) =>
        eventAbout('charge.refunded', {
          object: 'charge',
          id: charge,
          payment_intent: id,
          amount_refunded: 1,
          refunds: { object: 'list', data: [{ object: 'refund', id: 're_0', amount: 1 }] },
        }),
    ],
    ...['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated'].map((type): Shape => [
      type,
      ({ id, charge }) => eventAbout(type, { object: 'refund', id: 're_1', payment_intent: id, charge }),
    ]),
    ...['created', 'updated', 'funds_withdrawn', 'closed'].map((change): Shape => [
      `charge.dispute.${change}`,
      ({ id, charge }) =>
        eventAbout(`charge.dispute.${change}`, { object: 'dispute', id: 'dp_1', payment_intent: id, charge }),
    ]),
  ]
  test('marks a failed refund of Platter as returned, and sends it to orders as failed', async () => {
    const sale = await captureOrder()
    server.state.refund({ payment_intent: sale.id, amount: 300, metadata: { refundApiKey: 'f1' } })
    server.state.afterSale.failRefunds(sale.id)
    await deliver(eventAbout('refund.failed', { object: 'refund', id: 're_1', payment_intent: sale.id }))
    expect(returned).toEqual(['f1'])
    expect(setRefundsOf(sent.at(-1)!)).toMatchObject({ refunds: [], failed: ['f1'] })
  })

  test.each(SHAPES)('is stored after %s', async (_type, shape) => {
    const sale = await captureOrder()
    server.state.refund({ payment_intent: sale.id, amount: 300 })
    server.state.afterSale.addDispute(sale.id, 200)
    expect(await deliver(shape(sale))).toBe(200)
    expect(await readMirror()).toEqual([[300], ['open']])
    expect(sent, 'to orders').toMatchObject([{ orderApiKey: 'o1', version: 1 }])
  })

  test('has one version after events of all shapes, repeated and in the reverse order', async () => {
    const sale = await captureOrder()
    server.state.refund({ payment_intent: sale.id, amount: 300 })
    server.state.afterSale.addDispute(sale.id, 200)
    const events = SHAPES.map(([, shape]) => shape(sale))
    for (const payload of [...events.toReversed(), ...events]) expect(await deliver(payload)).toBe(200)
    expect(await readMirror()).toEqual([[300], ['open']])
    expect((await mirrors.find('o1'))?.version).toBe(1)
  })

  test('is stored once after events that are repeated and out of order', async () => {
    const sale = await captureOrder()
    const [first, second] = ['charge.refunded', 'charge.refunded'].map((type) =>
      eventAbout(type, { object: 'charge', id: sale.charge, payment_intent: sale.id }),
    ) as [string, string]
    server.state.refund({ payment_intent: sale.id, amount: 300 })
    server.state.refund({ payment_intent: sale.id, amount: 75 })
    for (const payload of [second, first, first, second]) expect(await deliver(payload)).toBe(200)
    expect(await readMirror()).toEqual([[75, 300], []])
    expect((await mirrors.find('o1'))?.version).toBe(1)
  })

  test('is not stored for a second charge of the order, which payments does not know', async () => {
    const { id } = await captureOrder()
    const { token } = (await authorizations.find('o1')) as { token: string }
    const call = { idempotencyKey: 'second', reference: 'o1', amount: AMOUNT, token }
    const { id: second } = (await processor.authorize(call)) as { id: string }
    await processor.capture({ idempotencyKey: 'c2', id: second, amount: AMOUNT })
    server.state.refund({ payment_intent: second })
    const payload = eventAbout('refund.created', { object: 'refund', id: 're_1', payment_intent: second })
    expect(await deliver(payload)).toBe(200)
    expect(await readMirror()).toBeNull()
    expect(sent).toEqual([])
    server.state.refund({ payment_intent: id, amount: 300 })
    await deliver(eventAbout('refund.created', { object: 'refund', id: 're_2', payment_intent: id }))
    expect(await readMirror()).toEqual([[300], []])
  })

  test('has more refunds than a page of Stripe', async () => {
    const { id } = await captureOrder()
    for (let one = 0; one < 51; one++) server.state.refund({ payment_intent: id, amount: 1 })
    const payload = eventAbout('refund.created', { object: 'refund', id: 're_1', payment_intent: id })
    expect(await deliver(payload)).toBe(200)
    expect((await mirrors.find('o1'))?.refunds).toHaveLength(51)
  })

  test('is found by compare() when the events of a dispute and its end are lost', async () => {
    const { id } = await captureOrder()
    const dispute = server.state.afterSale.addDispute(id, 200)
    expect(await mirror.compare()).toBe(true)
    expect(await readMirror()).toBeNull()
    vi.spyOn(mirrors, 'acquire').mockResolvedValue(recentPeriod())
    expect(await mirror.compare()).toBe(false)
    expect(await readMirror()).toEqual([[], ['open']])
    dispute.status = 'lost'
    await mirror.compare()
    expect(await readMirror()).toEqual([[], ['lost']])
  })

  test('an open dispute reaches orders as not refundable, and an inquiry as refundable', async () => {
    const { id } = await captureOrder()
    const dispute = server.state.afterSale.addDispute(id, 200)
    const changed = eventAbout('charge.dispute.updated', {
      object: 'dispute',
      id: 'dp_1',
      payment_intent: id,
    })
    dispute.status = 'warning_needs_response'
    await deliver(changed)
    dispute.status = 'needs_response'
    await deliver(changed)
    expect(sent.map((row) => setRefundsOf(row).dispute)).toMatchObject([
      { state: 'OPEN', isRefundable: true },
      { state: 'OPEN', isRefundable: false },
    ])
  })

  test('a prevented dispute is lost if the network has returned the amount, and won if it was blocked', async () => {
    const { id } = await captureOrder()
    const dispute = server.state.afterSale.addDispute(id, 200)
    const closed = () =>
      eventAbout('charge.dispute.closed', { object: 'dispute', id: 'dp_1', payment_intent: id })
    dispute.status = 'prevented'
    await deliver(closed())
    expect(await readMirror()).toEqual([[], ['lost']])
    dispute.balance_transactions = []
    await deliver(closed())
    expect(await readMirror()).toEqual([[], ['won']])
  })

  test('is found by compare() as done when a refund was pending and the event of its end is lost', async () => {
    const { id } = await captureOrder()
    server.state.refund({ payment_intent: id, amount: 300 })
    server.state.afterSale.setRefunds(id, 'pending')
    await deliver(eventAbout('refund.created', { object: 'refund', id: 're_1', payment_intent: id }))
    expect((await mirrors.find('o1'))?.refunds).toMatchObject([{ state: 'pending' }])
    server.state.afterSale.setRefunds(id, 'succeeded')
    await mirror.compare()
    expect((await mirrors.find('o1'))?.refunds).toMatchObject([{ state: 'done' }])
  })

  test('is not stored for another sale of the Stripe account', async () => {
    const { id } = await captureOrder()
    server.state.change(id, { metadata: {} })
    server.state.refund({ payment_intent: id, amount: 1 })
    const payload = eventAbout('refund.created', { object: 'refund', id: 're_1', payment_intent: id })
    expect(await deliver(payload)).toBe(200)
    expect(await readMirror()).toBeNull()
  })

  test('refuses its event with 503 while Stripe is unavailable; the repeated event is 200', async () => {
    const { id } = await captureOrder()
    const payload = eventAbout('refund.created', { object: 'refund', id: 're_1', payment_intent: id })
    handled = 0
    server.fault('error-before-effect', 'refunds')
    expect(await deliver(payload)).toBe(503)
    expect(handled).toBe(0)
    expect(await deliver(payload)).toBe(200)
  })
})

test('a mirror that was read earlier never replaces a later one', async () => {
  const refund = { id: 're_1', key: null, amount: AMOUNT, state: 'done', at: 1 } as const
  const charge = { orderApiKey: 'o1', processorId: 'pi_1', disputes: [] }
  expect(await mirrors.set({ ...charge, refunds: [refund] }, '000000002')).toBe(1)
  expect(await mirrors.set({ ...charge, refunds: [] }, '000000001')).toBeNull()
  expect((await mirrors.find('o1'))?.refunds).toEqual([refund])
})

describe('invalid event', () => {
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
  ])('400 and no request to Stripe for an event %s', async (_title, alter) => {
    const { id } = await authorizeAtStripe()
    const [payload, signature] = alter(event({ id }))
    expect(await deliver(payload, signature)).toBe(400)
    expect(reads()).toBe(0)
    expect(handled).toBe(0)
    expect(notified).toEqual([])
  })

  test('400 and no request to Stripe for random bytes', async () => {
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

test('an event signed 295 s ago is accepted', async () => {
  const { id } = await authorizeAtStripe()
  const payload = event({ id })
  expect(await deliver(payload, sign(payload, SECRET, 295))).toBe(200)
})

test('the other routes of the service still parse JSON', async () => {
  app.post('/elsewhere', async ({ body }) => ({ received: body }))
  const payload = { amount: 1_075 }
  const response = await app.inject({ method: 'POST', url: '/elsewhere', payload })
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({ received: payload })
})

/** Replaces a card at its bank, and returns its token and the event. */
async function replaceCard() {
  const made = await processor.tokenize(CARD)
  const token = made.kind === 'yes' ? made.token : ''
  const [customer, id = ''] = token.split(':')
  server.state.replaceCard(id, '1881', { exp_month: 1, exp_year: 2045 })
  const data = { object: { object: 'payment_method', id, customer } }
  return { token, data, type: 'payment_method.automatically_updated' }
}

describe('event about a replaced card', () => {
  const details = { brand: 'visa', lastFour: '1881', expirationMonth: '01', expirationYear: '45' }

  test('sets the card details as read from Stripe', async () => {
    const { token, ...more } = await replaceCard()
    expect(await deliver(event({}, more))).toBe(200)
    expect(cardsSet).toEqual([{ token, ...details }])
  })

  test('is refused with 503 while the card cannot be read; its repetition sets the details', async () => {
    const { token, ...more } = await replaceCard()
    const payload = event({}, more)
    server.fault('drop-request', 'method')
    expect(await deliver(payload)).toBe(503)
    expect(cardsSet).toEqual([])
    expect(await deliver(payload)).toBe(200)
    expect(cardsSet).toEqual([{ token, ...details }])
  })

  test('is ignored for other billing details and for a card of another sale', async () => {
    const { data } = await replaceCard()
    expect(await deliver(event({}, { data, type: 'payment_method.updated' }))).toBe(200)
    const foreign = { object: { object: 'payment_method', id: 'pm_00000000000099', customer: 'cus_9' } }
    const type = 'payment_method.automatically_updated'
    expect(await deliver(event({}, { data: foreign, type }))).toBe(200)
    expect(cardsSet).toEqual([])
  })
})
