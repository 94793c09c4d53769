import { randomInt } from 'node:crypto'
import { requestTimes, type Order } from '@platter/contracts'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../dev/process/wait.ts'
import { isRabbitmqReady } from '../../dev/servers/readiness.ts'
import { withClient } from '../../dev/servers/database.ts'
import type { ServerKind } from '../../dev/servers/types.ts'
import type { Stack } from '../../dev/stack.ts'
import { serviceNames } from '../../dev/stack/services.ts'
import { openRestaurantPage, type RestaurantPage } from '../support/restaurant-page.ts'
import { Api, type ClientResponse } from '../support/api.ts'
import { readBooks } from '../support/books.ts'
import { card, seedRestaurants, pickup } from '../support/fixtures.ts'
import { cashOrderSender } from '../support/order-clients.ts'
import { EVERY_FAULT } from './nemesis.ts'
import { rollingRestarts } from '../rolling/rolling.ts'
import { runChaos, startStackForChaos } from './run.ts'
import { print } from '../support/stack.ts'
import { hasFaultOccurred, sendToTrees, setProcessorFaults, whileDiskIsFull } from '../support/faults.ts'

let stack: Stack
const api = new Api(() => stack.file)
let send: Awaited<ReturnType<typeof cashOrderSender>>
/** The page stays open during all outages. */
let page: RestaurantPage

beforeAll(async () => {
  stack = await startStackForChaos()
  send = await cashOrderSender(stack.file)
  page = openRestaurantPage(stack)
}, 120_000)

afterAll(async () => {
  await page.close()
  await stack.stop()
}, 120_000)

const signal = (server: ServerKind, name: NodeJS.Signals) => sendToTrees(stack.file.processes[server], name)

/** Freezes a server during `work`. It continues even if the work fails, because the next tests use it. */
function whileFrozen<T>(server: ServerKind, work: () => Promise<T>): Promise<T> {
  signal(server, 'SIGSTOP')
  return work().finally(() => signal(server, 'SIGCONT'))
}

/**
 * docs/assurance/failure-modes.md promises 5 s. The measured times beside other work were 0.2 to 0.5 s for PostgreSQL and 1.9 s for
 * RabbitMQ. The remaining time is for a busy machine. Each test prints its time.
 */
const ACCEPTED_WITHIN_MS = 60_000
/**
 * The deadline, which forward.unit.test.ts proves to the millisecond, and a margin for a machine that pauses for 3 s. The response
 * comes earlier when PostgreSQL is unavailable: request-times.unit.test.ts.
 */
const RESPONSE_WITHIN_MS = requestTimes.deadline + 5_000

async function sendTimed(): Promise<{ status: number; ms: number }> {
  const started = performance.now()
  const { status } = await send(stack.gateway)
  return { status, ms: Math.round(performance.now() - started) }
}

async function areAccepted(): Promise<boolean> {
  // One order at a time during the outage.
  if ((await send(stack.gateway)).status !== 200) return false
  const sent = await Promise.all(Array.from({ length: 6 }, () => send(stack.gateway)))
  return sent.every(({ status }) => status === 200)
}

/** Resolves when every replica accepts orders again. */
async function waitUntilAccepted(): Promise<void> {
  const started = performance.now()
  await until(areAccepted, { what: 'Accepting orders again', withinMs: ACCEPTED_WITHIN_MS, everyMs: 100 })
  print(`  orders are accepted again after ${Math.round(performance.now() - started)} ms`)
}

const read = async (apiKey: string): Promise<Order> => (await api.get<Order>(`order/${apiKey}`)).body

const waitForPayment = (apiKey: string, state: Order['paymentState']) =>
  until(async () => (await read(apiKey)).paymentState === state, {
    what: state,
    withinMs: 60_000,
    everyMs: 200,
  })

const sendCardOrder = async (restaurantApiKey: string, headers: Record<string, string> = {}) =>
  api.sendOrder(
    pickup(restaurantApiKey, await api.plainItem(restaurantApiKey), { payment: 'card', card: card() }),
    { headers },
  )

/** Places an order with a card, and waits for its charge. */
async function chargedOrder(restaurantApiKey: string): Promise<string> {
  const { status, body } = await sendCardOrder(restaurantApiKey)
  expect(status).toBe(200)
  await waitForPayment(body.apiKey, 'CHARGED')
  return body.apiKey
}

const readOrders = async () => {
  const { accessKey: key = '' } = stack.file.restaurants[0] ?? {}
  return (await api.call('/restaurantapi/v1/orders', { key })).status
}

const servicePids = () => serviceNames.map((name) => stack.pids(name))

test('while PostgreSQL restarts after SIGKILL, orders are 503 by the deadline; no service exits, and orders are accepted again', async () => {
  const before = servicePids()
  signal('postgres', 'SIGKILL')
  const during = await Promise.all(Array.from({ length: 5 }, sendTimed))
  expect(
    during.every(({ status, ms }) => (status === 503 && ms < RESPONSE_WITHIN_MS) || status === 200),
  ).toBe(true)
  await waitUntilAccepted()
  expect(servicePids()).toEqual(before)
})

test('while PostgreSQL is frozen, orders are 503 by the deadline; no service exits, and orders are accepted again', async () => {
  const before = servicePids()
  const during = await whileFrozen('postgres', () => Promise.all(Array.from({ length: 5 }, sendTimed)))
  expect(during.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503])
  expect(Math.max(...during.map(({ ms }) => ms))).toBeLessThan(RESPONSE_WITHIN_MS)
  await waitUntilAccepted()
  expect(servicePids()).toEqual(before)
})

test('with a full disk, orders are 503 by the deadline and reads work; an order that is stored, but whose next step is not, is 200; no service exits, and orders are accepted again', async () => {
  const before = servicePids()
  const stored = await whileDiskIsFull(stack.file, 'update', sendTimed)
  expect(stored.status).toBe(200)
  expect(stored.ms).toBeLessThan(RESPONSE_WITHIN_MS)
  await whileDiskIsFull(stack.file, 'insert or update', async () => {
    const during = await Promise.all(Array.from({ length: 5 }, sendTimed))
    expect(during.filter(({ status, ms }) => status !== 503 || ms > RESPONSE_WITHIN_MS)).toEqual([])
    expect(await readOrders()).toBe(200)
  })
  await waitUntilAccepted()
  expect(servicePids()).toEqual(before)
})

test('no order fails while Redis is frozen or restarts after SIGKILL', async () => {
  const frozen = await whileFrozen('redis', () => Promise.all(Array.from({ length: 20 }, sendTimed)))
  expect(frozen.filter(({ status }) => status !== 200)).toEqual([])
  signal('redis', 'SIGKILL')
  const killed = await Promise.all(Array.from({ length: 20 }, sendTimed))
  expect(killed.filter(({ status }) => status !== 200)).toEqual([])
})

/** Injects faults until the end of the test. */
async function failProcessor(rules: readonly object[]): Promise<void> {
  onTestFinished(() => setProcessorFaults(stack.file, []))
  await setProcessorFaults(stack.file, rules)
}

const isFaultInjected = () => hasFaultOccurred(stack.file)

/** Returns the response, which must arrive by the deadline. */
async function byDeadline<T>(work: Promise<ClientResponse<T>>): Promise<ClientResponse<T>> {
  const began = performance.now()
  const response = await work
  expect(performance.now() - began).toBeLessThan(RESPONSE_WITHIN_MS)
  return response
}

const pending = { status: 'PROCESSING', paymentState: 'PENDING', cancellation: null }

test('when the processor stops responding, a card that is tokenized too late is 503 by the deadline and places no order; an accepted order is 200 PROCESSING', async () => {
  await failProcessor([
    { fault: 'slow', on: ['tokenize'], next: 1, ms: 30_000 },
    // Its order must be placed by 8 s after its arrival, also if the machine stands still for 3 s.
    { fault: 'slow', on: ['tokenize'], next: 1, ms: 3_000 },
    // The saga republishes the command after 2.5 s, so another replica may call the processor as well.
    { fault: 'slow', on: ['authorize'], next: 2, ms: 30_000 },
  ])
  const key = { 'idempotency-key': crypto.randomUUID() }
  const tooLate = byDeadline(sendCardOrder(seedRestaurants.aurora, key))
  await until(isFaultInjected, { what: 'Tokenizing', withinMs: 30_000, everyMs: 100 })
  const { body: accepted } = await byDeadline(sendCardOrder(seedRestaurants.aurora))
  expect(accepted).toMatchObject(pending)
  expect((await tooLate).status).toBe(503)
  expect((await api.get(`order-by-key/${key['idempotency-key']}`)).status).toBe(404)
  await waitForPayment(accepted.apiKey, 'CHARGED')
}, 180_000)

test('while PostgreSQL is frozen, an accepted order is 200 PROCESSING; an order whose commit is not confirmed is 503, and a retry under its Idempotency-Key returns it; each is charged once', async () => {
  await failProcessor([{ fault: 'slow', on: ['authorize'], next: 1, ms: 4_000 }])
  const accepted = byDeadline(sendCardOrder(seedRestaurants.aurora))
  await until(isFaultInjected, { what: 'Authorizing', withinMs: 30_000, everyMs: 100 })
  await failProcessor([{ fault: 'slow', on: ['tokenize'], next: 1, ms: 2_000 }])
  const key = { 'idempotency-key': crypto.randomUUID() }
  const unconfirmed = byDeadline(sendCardOrder(seedRestaurants.aurora, key))
  await until(isFaultInjected, { what: 'Tokenizing', withinMs: 30_000, everyMs: 100 })
  const [first, second] = await whileFrozen('postgres', () => Promise.all([accepted, unconfirmed]))
  const { body: order } = first
  expect(order).toMatchObject({ ...pending, id: expect.any(Number) as number })
  expect(second).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining('Idempotency-Key') as string },
  })
  await until(() => read(order.apiKey).then(({ apiKey }) => apiKey === order.apiKey), {
    what: 'Reading the order',
    withinMs: 30_000,
    everyMs: 100,
  })
  const retry = async () => (await sendCardOrder(seedRestaurants.aurora, key)).status === 200
  await until(retry, { what: 'Retrying the order', withinMs: 60_000, everyMs: 500 })
  const { body: retried } = await sendCardOrder(seedRestaurants.aurora, key)
  for (const one of [order.apiKey, retried.apiKey]) {
    await waitForPayment(one, 'CHARGED')
    const { ledger } = await readBooks(stack.file)
    expect(ledger.filter(({ kind, reference }) => kind === 'capture' && reference === one)).toHaveLength(1)
  }
}, 180_000)

test('while RabbitMQ restarts after SIGKILL, orders are 503; no service exits, and orders are accepted again', async () => {
  const before = servicePids()
  signal('rabbitmq', 'SIGKILL')
  const { status, ms } = await sendTimed()
  expect(status).toBe(503)
  expect(ms).toBeLessThan(RESPONSE_WITHIN_MS)
  // RabbitMQ needs 4 s to start, and much longer on a busy machine.
  await until(() => isRabbitmqReady(stack.file.urls.rabbitmq), {
    what: 'Starting RabbitMQ',
    withinMs: 120_000,
    everyMs: 100,
  })
  await waitUntilAccepted()
  expect(servicePids()).toEqual(before)
})

test('an order that is not accepted at the console within 15 minutes is cancelled and refunded', async () => {
  const atConsole = stack.file.restaurants.find(({ link }) => link === 'console')!
  const apiKey = await chargedOrder(atConsole.apiKey)
  await withClient(stack.file.urls.postgres, (client) =>
    client.query(
      `update orders.order_statuses set at = now() - interval '16 minutes' where order_api_key = $1`,
      [apiKey],
    ),
  )
  await waitForPayment(apiKey, 'REFUNDED')
  expect((await read(apiKey)).cancellation).toMatchObject({ cancelledBy: 'system' })
}, 180_000)

const expectNoMissingOrder = async () => {
  await vi.waitFor(async () => expect(await page.missing()).toEqual([]), { timeout: 60_000, interval: 100 })
  expect(page.readOrders().size).toBeGreaterThan(20)
}

test("a restaurant's page keeps one event stream through these outages, and misses no order", async () => {
  await expectNoMissingOrder()
  expect(page.reconnections()).toBe(0)
})

test('when all replicas of orders are killed, the page reconnects and misses no order', async () => {
  for (const pid of stack.pids('orders')) process.kill(pid, 'SIGKILL')
  await waitUntilAccepted()
  await expect.poll(page.reconnections).toBe(1)
  await expectNoMissingOrder()
})

test('a rolling restart of one replica of each service under load fails no request', async () => {
  const { restarts, requests, failed } = await rollingRestarts(stack, {
    rounds: 1,
    replicas: 1,
    send,
    concurrency: 2,
    // About 15 orders during the 3 s of a graceful end. An order costs 50 ms of CPU in all processes together.
    pauseMs: 350,
  })
  expect(failed).toEqual([])
  expect(requests).toBeGreaterThan(restarts.length)
  expect(restarts).toHaveLength(5)
}, 300_000)

/** `npm run chaos` is the long form, with new faults each time. CHAOS_SEED=… repeats the faults of a seed. */
const LONG = process.env['CHAOS_ORDERS']
const seed = Number(process.env['CHAOS_SEED'] ?? (LONG === undefined ? 40 : randomInt(1_000_000)))
const SHORT_FORM = { orders: 80, concurrency: 4, pauseMs: [200, 700], rounds: 1 } as const
const LONG_FORM = { orders: Number(LONG), concurrency: 16, pauseMs: [300, 1_500] } as const

test(
  'under load, each process is killed and frozen and RabbitMQ wiped: no order is lost, doubled, wrong or stuck',
  async () => {
    await page.close()
    const report = await runChaos(stack, { seed, ...(LONG === undefined ? SHORT_FORM : LONG_FORM) })
    expect(report.violations).toEqual([])
    expect(new Set(report.faults)).toEqual(new Set(EVERY_FAULT))
  },
  420_000 + Number(LONG ?? 0) * 2_000,
)
