import { randomBytes } from 'node:crypto'
import { Bus } from '@platter/bus'
import {
  cents,
  PaymentMoved,
  PaymentsAuthorize,
  PaymentsCapture,
  PaymentsRelease,
  SagaReply,
  Tokenize,
} from '@platter/contracts'
import { createLog, PRINCIPAL_HEADER, principalSigner, readConfig, type Parts } from '@platter/kit'
import { settingsFor } from '@platter/kit/postgres/role-settings'
import { newDatabase, servers } from '@platter/testkit'
import pg from 'pg'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Config } from '#/config.ts'
import { StripeProcessor } from '#/outside/stripe-processor.ts'
import { SECRET_KEY, StripeServer } from '#/testing/stripe-server.ts'
import { wire } from '#/wire.ts'

/* The whole service with PROCESSOR=stripe: PostgreSQL and RabbitMQ are real, Stripe is the test server. */

const log = createLog('test', 'silent')
const INTERNAL_SECRET = 's'.repeat(32)
const WEBHOOK_SECRET = 'whsec_of_the_test'
const AMOUNT = cents(1075)
const soon = { timeout: 30_000, interval: 50 }

const stripe = new StripeServer()
const replies: SagaReply[] = []
/** The orders with a payment-moved command. */
const moved: string[] = []
let config: Config
let parts: Parts
let orders: Bus
let rows: pg.Client

beforeAll(async () => {
  const DATABASE_URL = await newServiceDatabase()
  config = readConfig(Config, {
    NODE_ENV: 'development',
    PORT: '0',
    INTERNAL_SECRET,
    DATABASE_URL,
    AMQP_URL: servers().rabbitmq,
    REDIS_URL: servers().redis,
    PROCESSOR: 'stripe',
    RAW_CARDS: 'accept',
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_URL: await stripe.listen(),
  })
  parts = await startReplica()
  orders = new Bus({ url: servers().rabbitmq, service: 'orders', log })
  orders.onCommand(SagaReply, async (reply) => void replies.push(reply))
  orders.onCommand(PaymentMoved, async ({ orderApiKey }) => void moved.push(orderApiKey))
  await orders.start()
  rows = new pg.Client({ connectionString: DATABASE_URL })
  await rows.connect()
})

afterAll(async () => {
  await rows.end()
  await Promise.all([orders.quiesce(), stop(parts)])
  await orders.close()
  await stripe.close()
})

/** Returns the URL of a database with the role and the schema that the job `prepare` creates for a service. */
async function newServiceDatabase(): Promise<string> {
  const url = new URL(await newDatabase())
  const name = url.pathname.slice(1)
  const settings = Object.entries({ ...settingsFor('by key'), search_path: name })
  const admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  await admin.query(`create role ${name} login password '${name}'; create role ${name}_client;
    grant ${name}_client to ${name}; create schema ${name} authorization ${name}`)
  for (const [setting, value] of settings) await admin.query(`alter role ${name} set ${setting} = ${value}`)
  await admin.end()
  url.username = name
  url.password = name
  return url.href
}

async function startReplica(): Promise<Parts> {
  const replica = wire(config, log)
  await replica.start?.()
  return replica
}

async function stop(replica: Parts): Promise<void> {
  await replica.quiesce?.()
  await replica.app.close()
  await replica.close?.()
}

async function tokenOf(cardNumber: string) {
  const { statusCode, body } = await parts.app.inject({
    method: 'POST',
    url: Tokenize.path,
    headers: {
      [PRINCIPAL_HEADER]: await principalSigner([INTERNAL_SECRET])(
        { kind: 'service', service: 'orders' },
        'payments',
      ),
    },
    payload: {
      by: { userApiKey: null, address: null, applicationId: null },
      cardholderName: 'Ada',
      cardholderStreetAddress: '1 Main St',
      cardholderZip: '53703',
      cvv: '314',
      cardNumber,
      expirationMonth: '05',
      expirationYear: '39',
    },
  })
  return {
    status: statusCode,
    ...(JSON.parse(body) as { token: string; code?: string; declineCode?: string }),
  }
}

const DONE = { kind: 'done' }
const newOrder = () => randomBytes(24).toString('hex')

type Command = typeof PaymentsAuthorize | typeof PaymentsCapture | typeof PaymentsRelease

function publish(orderApiKey: string, command: Command, more: object, attempt = 1): Promise<void> {
  const step = { orderApiKey, step: command.name, undo: false, version: 1, attempt }
  return orders.publish(command, { ...step, ...more }, { requestId: 'r1' })
}

/** The outcome in the reply to a command, if the reply has arrived. */
const arrivedReply = (orderApiKey: string, command: Command): SagaReply['outcome'] | undefined =>
  replies.find((one) => one.orderApiKey === orderApiKey && one.step === command.name)?.outcome

async function replyTo(orderApiKey: string, command: Command): Promise<SagaReply['outcome'] | undefined> {
  await vi.waitFor(() => expect(arrivedReply(orderApiKey, command)).toBeDefined(), soon)
  return arrivedReply(orderApiKey, command)
}

/** Publishes a command and returns the outcome in its reply. */
async function outcomeOf(orderApiKey: string, command: Command, more: object) {
  await publish(orderApiKey, command, more)
  return replyTo(orderApiKey, command)
}

const effects = (orderApiKey: string) =>
  stripe.state.effects.filter(({ reference }) => reference === orderApiKey).map(({ kind }) => kind)

test('an order is authorized, captured and refunded through Stripe', async () => {
  const { token } = await tokenOf('4242424242424242')
  const order = newOrder()
  expect(await outcomeOf(order, PaymentsAuthorize, { amount: AMOUNT, token })).toMatchObject({ kind: 'done' })
  expect(await outcomeOf(order, PaymentsCapture, { amount: AMOUNT })).toMatchObject({ kind: 'done' })
  expect(await outcomeOf(order, PaymentsRelease, {})).toMatchObject({ kind: 'done' })
  expect(effects(order)).toEqual(['authorize', 'capture', 'refund'])
})

/** The parameters of the authorizations of an order. */
const authorizations = (orderApiKey: string) =>
  stripe.requests
    .filter(({ kind, params }) => kind === 'authorize' && JSON.stringify(params).includes(orderApiKey))
    .map(({ params }) => params as Record<string, unknown>)

test('statement_descriptor_suffix is the restaurant; only a saved card has setup_future_usage', async () => {
  const { token } = await tokenOf('4242424242424242')
  const [saved, once] = [newOrder(), newOrder()]
  const terms = { amount: AMOUNT, token, restaurantName: "Sam's Café" }
  expect(await outcomeOf(saved, PaymentsAuthorize, { ...terms, savesCard: true })).toMatchObject(DONE)
  expect(await outcomeOf(once, PaymentsAuthorize, { ...terms, savesCard: false })).toMatchObject(DONE)
  expect(authorizations(saved)).toMatchObject([
    { statement_descriptor_suffix: 'Sams Cafe', setup_future_usage: 'on_session' },
  ])
  expect(authorizations(once)[0]).not.toHaveProperty('setup_future_usage')
  expect(authorizations(once)[0]).not.toHaveProperty('off_session')
})

test('a repeated authorization keeps its parameters, also when the restaurant name has changed', async () => {
  const { token } = await tokenOf('4242424242424242')
  const order = newOrder()
  stripe.fault('drop-reply', 'authorize')
  await publish(order, PaymentsAuthorize, {
    amount: AMOUNT,
    token,
    restaurantName: 'Aurora',
    savesCard: true,
  })
  await vi.waitFor(() => expect(effects(order)).toEqual(['authorize']), soon)
  const repeated = { amount: AMOUNT, token, restaurantName: 'Borealis', savesCard: false }
  // Republished until it has a reply: a command has none while the first attempt is at the processor.
  await vi.waitFor(async () => {
    await publish(order, PaymentsAuthorize, repeated, 2)
    expect(arrivedReply(order, PaymentsAuthorize)).toMatchObject(DONE)
  }, soon)
  expect(new Set(authorizations(order).map((one) => one['statement_descriptor_suffix']))).toEqual(
    new Set(['Aurora']),
  )
  expect(effects(order)).toEqual(['authorize'])
})

test('an authorization that the previous version began is repeated, and takes effect once', async () => {
  const { token } = await tokenOf('4242424242424242')
  const order = newOrder()
  const previous = new StripeProcessor({ secretKey: SECRET_KEY, url: config.STRIPE_URL, currency: 'usd' })
  const call = { idempotencyKey: `${order}:authorize:1`, reference: order, amount: AMOUNT, token }
  expect(await previous.authorize(call)).toMatchObject({ kind: 'yes' })
  await previous.close()
  await rows.query(
    "insert into authorizations (order_api_key, state, amount, token) values ($1, 'sent', $2, $3)",
    [order, AMOUNT, token],
  )
  const command = { amount: AMOUNT, token, restaurantName: 'Aurora', savesCard: true }
  expect(await outcomeOf(order, PaymentsAuthorize, command)).toMatchObject(DONE)
  expect(effects(order)).toEqual(['authorize'])
})

test('a declined card is refused at its tokenization (402), or at its authorization', async () => {
  expect(await tokenOf('4000000000000127')).toMatchObject({ status: 402, code: 'cvc-failed' })
  const { token } = await tokenOf('4000000000000341')
  expect(await outcomeOf(newOrder(), PaymentsAuthorize, { amount: AMOUNT, token })).toMatchObject({
    kind: 'refused',
    refusal: { code: 'card-declined', declineCode: 'generic_decline' },
  })
})

test('a card that was declined three times within an hour is not sent to Stripe again', async () => {
  const cardNumber = '4000000000000341'
  for (let charge = 0; charge < 3; charge++) {
    const { token, status } = await tokenOf(cardNumber)
    if (status === 200) await outcomeOf(newOrder(), PaymentsAuthorize, { amount: AMOUNT, token })
  }
  // The decline is counted after the reply.
  await vi.waitFor(async () => expect((await tokenOf(cardNumber)).code).toBe('rate-limited'), soon)
  const before = stripe.requests.length
  expect(await tokenOf(cardNumber)).toMatchObject({ status: 429, code: 'rate-limited' })
  expect(stripe.requests).toHaveLength(before)
  expect(await tokenOf('4242424242424242')).toMatchObject({ status: 200 })
})

async function deliver(id: string, intent: string, metadata = {}) {
  const payload = JSON.stringify({
    id,
    object: 'event',
    type: 'payment_intent.canceled',
    data: { object: { object: 'payment_intent', id: intent, metadata } },
  })
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET })
  const { statusCode } = await parts.app.inject({
    method: 'POST',
    url: '/webhooks/stripe',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    payload,
  })
  return statusCode
}

test('an event of an order without an authentication publishes nothing, and its time is stored', async () => {
  const { token } = await tokenOf('4242424242424242')
  const order = newOrder()
  await outcomeOf(order, PaymentsAuthorize, { amount: AMOUNT, token })
  const metadata = { orderApiKey: order }
  expect([await deliver('evt_1', 'pi_1', metadata), await deliver('evt_1', 'pi_1', metadata)]).toEqual([
    200, 200,
  ])
  expect(moved).toEqual([])
  const stored = await rows.query(
    "select from webhook_events where received_at > now() - interval '1 minute'",
  )
  expect(stored.rowCount).toBe(1)
})

test('a challenge has the bank URL and a client secret; its event publishes payment-moved', async () => {
  const { token } = await tokenOf('4000002760003184')
  const order = newOrder()
  const command = { amount: AMOUNT, token, authentication: { returnUrl: 'shop.example://paid' } }
  const outcome = await outcomeOf(order, PaymentsAuthorize, command)
  if (outcome?.kind !== 'authenticate') throw new Error(`no challenge: ${JSON.stringify(outcome)}`)
  const { url, clientSecret, expires } = outcome.action
  expect([url, clientSecret]).toEqual([
    expect.stringMatching(/^https:\/\/hooks\.stripe\.com\//),
    expect.stringMatching(/^secret_/),
  ])
  expect(Math.abs(expires - Date.now() / 1_000 - 600)).toBeLessThan(60)
  const { rows: found } = await rows.query(
    'select processor_id from authorizations where order_api_key = $1',
    [order],
  )
  const intent = (found[0] as { processor_id: string }).processor_id
  stripe.state.endChallenge(intent, 'yes')
  expect(await deliver('evt_challenge', intent, { orderApiKey: order })).toBe(200)
  await vi.waitFor(() => expect(moved).toEqual([order]), soon)
  expect(effects(order)).toEqual(['authorize'])
})

/** The number of authorize calls for these orders. */
const authorizeCalls = (...orderApiKeys: string[]) =>
  stripe.requests.filter(
    ({ kind, params }) =>
      kind === 'authorize' && orderApiKeys.some((key) => JSON.stringify(params).includes(key)),
  ).length

test('authorize commands repeated during the first call make one call and one authorization', async () => {
  const { token } = await tokenOf('4242424242424242')
  const [order, other] = [newOrder(), newOrder()]
  const proceed = stripe.stall('authorize')
  for (let attempt = 1; attempt <= 5; attempt++)
    await publish(order, PaymentsAuthorize, { amount: AMOUNT, token }, attempt)
  // This command is behind them in the queue.
  await publish(other, PaymentsAuthorize, { amount: AMOUNT, token })
  await vi.waitFor(() => expect(authorizeCalls(order, other)).toBe(2), soon)
  proceed()
  for (const one of [order, other])
    expect(await replyTo(one, PaymentsAuthorize)).toMatchObject({ kind: 'done' })
  expect(authorizeCalls(order, other)).toBe(2)
  expect(effects(order)).toEqual(['authorize'])
})

test('authorize commands repeated on two replicas during the first call make one authorization', async () => {
  const second = await startReplica()
  const { token } = await tokenOf('4242424242424242')
  const order = newOrder()
  const proceed = stripe.stall('authorize')
  for (let attempt = 1; attempt <= 8; attempt++)
    await publish(order, PaymentsAuthorize, { amount: AMOUNT, token }, attempt)
  // One call waits for its response; the other one receives 409, because the key is in use.
  await vi.waitFor(() => expect(authorizeCalls(order)).toBeGreaterThan(1), soon)
  proceed()
  expect(await replyTo(order, PaymentsAuthorize)).toMatchObject({ kind: 'done' })
  await stop(second)
  expect(effects(order)).toEqual(['authorize'])
})

test('100 authorizations wait for the processor at once, and 100 captures share commits', async () => {
  const { token } = await tokenOf('4242424242424242')
  const placed = Array.from({ length: 100 }, newOrder)
  const proceed = stripe.stall('authorize')
  let attempt = 0
  const authorize = (keys: readonly string[]) => {
    attempt += 1
    const data = { amount: AMOUNT, token }
    return Promise.all(keys.map((order) => publish(order, PaymentsAuthorize, data, attempt)))
  }
  await authorize(placed)
  await vi.waitFor(() => expect(authorizeCalls(...placed)).toBe(100), soon)
  proceed()
  // The sender repeats a command until its reply arrives. On a busy machine, the first calls have timed out after 6 s.
  const areAuthorized = async () => {
    const waiting = placed.filter((order) => !arrivedReply(order, PaymentsAuthorize))
    await authorize(waiting)
    expect(waiting).toEqual([])
  }
  await vi.waitFor(areAuthorized, { timeout: 60_000, interval: 1_000 })
  const started = performance.now()
  await Promise.all(placed.map((order) => publish(order, PaymentsCapture, { amount: AMOUNT })))
  await Promise.all(placed.map((order) => replyTo(order, PaymentsCapture)))
  const tookMs = performance.now() - started
  const { rows: commits } = await rows.query(
    `select xmin::text, count(*)::int, min(state) as state from authorizations
     where order_api_key = any($1) group by 1`,
    [placed],
  )
  expect(commits).toEqual(commits.map(() => expect.objectContaining({ state: 'captured' }) as unknown))
  // A commit gathers for 100 ms, and has at most 64 captures: two commits on an idle machine.
  expect(commits.length).toBeLessThanOrEqual(2 + tookMs / 100)
})
