import { requestTimes, type Order } from '@platter/contracts'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../dev/process/wait.ts'
import { answersAmqp } from '../../dev/servers/answers.ts'
import { withClient } from '../../dev/servers/database.ts'
import type { Stack } from '../../dev/stack.ts'
import { KitchenPage } from '../support/restaurant-page.ts'
import { Api } from '../support/api.ts'
import { card, cast, pickup } from '../support/cast.ts'
import { cashOrderSender } from '../support/order-clients.ts'
import { EVERY_FAULT, ONE_ROUND } from './nemesis.ts'
import { rollingRestarts } from '../rolling/rolling.ts'
import { runChaos, startStackForChaos } from './run.ts'
import { hasFaultOccurred, sendToTrees, setProcessorFaults } from '../support/faults.ts'
import { fillPages, removeFiller, SmallDisk } from './small-disk.ts'

let stack: Stack
const api = new Api(() => stack.file)
let disk: SmallDisk | undefined
let send: Awaited<ReturnType<typeof cashOrderSender>>
/** Open from the first outage to the last. */
let page: KitchenPage

const say = (line: string) => process.stderr.write(`${line}\n`)

beforeAll(async () => {
  stack = await startStackForChaos(2, say)
  send = await cashOrderSender(stack.file)
  const { accessKey = '' } = stack.file.restaurants.find(({ apiKey }) => apiKey === cast.aurora) ?? {}
  page = new KitchenPage(stack.gateways, accessKey)
}, 120_000)

afterAll(async () => {
  await page.close()
  await stack.stop()
  disk?.remove()
}, 120_000)

type Server = 'postgres' | 'rabbitmq' | 'redis'
const signal = (server: Server, name: NodeJS.Signals) => sendToTrees(stack.file.processes[server], name)

/**
 * 5 s are promised (docs/assurance/failure-modes.md), and measured beside other work were 0.2 to 0.5 s for PostgreSQL and 1.9 s for RabbitMQ.
 * The rest is for a machine that is busy; how long it took is said each time.
 */
const BACK_WITHIN_MS = 20_000
/**
 * By the deadline, to which pass-on.unit.test.ts holds the gateway to the millisecond, and a machine that stands still for 3 s.
 * Sooner where PostgreSQL is away: request-times.unit.test.ts.
 */
const ANSWERED_WITHIN_MS = requestTimes.deadline + 5_000

async function timed(): Promise<{ status: number; ms: number }> {
  const started = performance.now()
  const { status } = await send(stack.gateway)
  return { status, ms: Math.round(performance.now() - started) }
}

async function areTaken(): Promise<boolean> {
  const sent = await Promise.all(Array.from({ length: 6 }, () => send(stack.gateway)))
  return sent.every(({ status }) => status === 200)
}

/** Resolves when orders are taken again, whichever replicas they meet. */
async function areTakenAgain(): Promise<void> {
  const started = performance.now()
  await until(areTaken, { what: 'Taking orders again', withinMs: BACK_WITHIN_MS, everyMs: 50 })
  say(`  orders are taken again after ${Math.round(performance.now() - started)} ms`)
}

const asClient = () => ({ 'content-type': 'application/json', 'x-access-token': stack.file.accessKey })

async function read(apiKey: string): Promise<Order> {
  const answer = await fetch(`${stack.gateway}/publicapi/v1/order/${apiKey}`, { headers: asClient() })
  return (await answer.json()) as Order
}

const paid = (apiKey: string, state: Order['paymentState']) =>
  until(async () => (await read(apiKey)).paymentState === state, { what: state, withinMs: 60_000 })

const sendCardOrder = async (restaurantApiKey: string, headers = {}): Promise<Response> =>
  fetch(`${stack.gateway}/publicapi/v1/send-order`, {
    method: 'POST',
    headers: { ...asClient(), ...headers },
    body: JSON.stringify(
      pickup(restaurantApiKey, await api.plainItem(restaurantApiKey), { payment: 'card', card: card() }),
    ),
  })

/** An order that was paid by card. */
async function chargedOrder(restaurantApiKey: string): Promise<string> {
  const sent = await sendCardOrder(restaurantApiKey)
  expect(sent.status).toBe(200)
  const { apiKey } = (await sent.json()) as { apiKey: string }
  await paid(apiKey, 'CHARGED')
  return apiKey
}

const readOrders = async () => {
  const key = stack.file.restaurants[0]?.accessKey ?? ''
  const headers = { 'x-access-token': key }
  return (await fetch(`${stack.gateway}/restaurantapi/v1/orders`, { headers })).status
}

const servicesOf = () =>
  ['gateway', 'catalog', 'accounts', 'orders', 'payments'].map((name) => stack.pids(name as 'orders'))

test('a killed PostgreSQL costs 503s by the deadline and no process; orders are taken again by themselves', async () => {
  const before = servicesOf()
  signal('postgres', 'SIGKILL')
  const during = await Promise.all(Array.from({ length: 5 }, timed))
  expect(
    during.every(({ status, ms }) => (status === 503 && ms < ANSWERED_WITHIN_MS) || status === 200),
  ).toBe(true)
  await areTakenAgain()
  expect(servicesOf()).toEqual(before)
})

test('a frozen PostgreSQL costs 503s by the deadline and no process; orders are taken again by themselves', async () => {
  const before = servicesOf()
  signal('postgres', 'SIGSTOP')
  const during = await Promise.all(Array.from({ length: 5 }, timed))
  signal('postgres', 'SIGCONT')
  expect(during.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503])
  expect(Math.max(...during.map(({ ms }) => ms))).toBeLessThan(ANSWERED_WITHIN_MS)
  await areTakenAgain()
  expect(servicesOf()).toEqual(before)
})

test.skipIf(!SmallDisk.isPossible)(
  'a full disk costs 503s by the deadline and no process; what there is can be read, orders are taken again by themselves',
  async () => {
    const before = servicesOf()
    const small = (disk = new SmallDisk())
    // Whatever comes of it: the tests behind this one have the same database.
    onTestFinished(async () => {
      small.free()
      await removeFiller(stack.file.urls.postgres)
      await small.giveBack('orders.orders', stack.file.urls.postgres)
    })
    await small.take('orders.orders', stack.file.urls.postgres)
    // PostgreSQL learns of all that is free in the table's pages.
    await withClient(stack.file.urls.postgres, (client) => client.query('vacuum orders.orders'))
    small.fill()
    await fillPages(stack.file.urls.postgres)
    const during = await Promise.all(Array.from({ length: 5 }, timed))
    // An order that still fitted into a page is accepted: it is answered with 200 PROCESSING, never with an error.
    const refused = during.filter(({ status }) => status !== 200)
    expect(refused.filter(({ status, ms }) => status !== 503 || ms > ANSWERED_WITHIN_MS)).toEqual([])
    expect(refused.length).toBeGreaterThan(0)
    expect(await readOrders()).toBe(200)
    small.free()
    await areTakenAgain()
    expect(servicesOf()).toEqual(before)
  },
)

test('a killed or frozen Redis fails no order', async () => {
  signal('redis', 'SIGSTOP')
  const frozen = await Promise.all(Array.from({ length: 20 }, timed))
  signal('redis', 'SIGCONT')
  expect(frozen.filter(({ status }) => status !== 200)).toEqual([])
  signal('redis', 'SIGKILL')
  const killed = await Promise.all(Array.from({ length: 20 }, timed))
  expect(killed.filter(({ status }) => status !== 200)).toEqual([])
})

/** Until the end of the test. */
async function failProcessor(rules: readonly object[]): Promise<void> {
  onTestFinished(() => setProcessorFaults(stack.file, []))
  await setProcessorFaults(stack.file, rules)
}

const hasStruck = () => hasFaultOccurred(stack.file)

/** What the work gives, once it is sure that the client had it by the deadline. */
async function byDeadline(work: Promise<Response>): Promise<Response> {
  const began = performance.now()
  const response = await work
  expect(performance.now() - began).toBeLessThan(ANSWERED_WITHIN_MS)
  return response
}

const pending = { status: 'PROCESSING', paymentState: 'PENDING', cancellation: null }

test('an accepted order is answered 200 PROCESSING by its deadline when the processor takes 5 s for the token and then is silent', async () => {
  await failProcessor([
    { fault: 'slow', on: ['tokenize'], next: 1, ms: 5_000 },
    // The saga republishes the command after 2.5 s, and another replica may ask the processor as well.
    { fault: 'slow', on: ['authorize'], next: 2, ms: 30_000 },
  ])
  const order = (await (await byDeadline(sendCardOrder(cast.aurora))).json()) as Order
  expect(order).toMatchObject(pending)
  await paid(order.apiKey ?? '', 'CHARGED')
}, 180_000)

test('an order whose card takes too long is 503 by its deadline, and there is none', async () => {
  await failProcessor([{ fault: 'slow', on: ['tokenize'], next: 1, ms: 30_000 }])
  const key = { 'idempotency-key': crypto.randomUUID() }
  expect((await byDeadline(sendCardOrder(cast.aurora, key))).status).toBe(503)
  const found = await fetch(`${stack.gateway}/publicapi/v1/order-by-key/${key['idempotency-key']}`, {
    headers: asClient(),
  })
  expect(found.status).toBe(404)
}, 180_000)

test('an accepted order is answered 200 PROCESSING by its deadline when PostgreSQL is frozen, and is charged once after that', async () => {
  await failProcessor([{ fault: 'slow', on: ['authorize'], next: 1, ms: 4_000 }])
  const sent = byDeadline(sendCardOrder(cast.aurora))
  await until(hasStruck, { what: 'Authorizing', withinMs: 30_000, everyMs: 20 })
  signal('postgres', 'SIGSTOP')
  const response = await sent.finally(() => signal('postgres', 'SIGCONT'))
  const order = (await response.json()) as Order
  expect(order).toMatchObject({ ...pending, id: expect.any(Number) as number })
  await until(() => read(order.apiKey ?? '').then(({ apiKey }) => apiKey === order.apiKey), {
    what: 'Reading the order',
    withinMs: 30_000,
  })
  await paid(order.apiKey ?? '', 'CHARGED')
}, 180_000)

test('an order whose commit is not confirmed by its deadline is 503, and its Idempotency-Key finds out what became of it', async () => {
  await failProcessor([{ fault: 'slow', on: ['tokenize'], next: 1, ms: 2_000 }])
  const key = { 'idempotency-key': crypto.randomUUID() }
  const sent = byDeadline(sendCardOrder(cast.aurora, key))
  await until(hasStruck, { what: 'Tokenizing', withinMs: 30_000, everyMs: 20 })
  signal('postgres', 'SIGSTOP')
  const response = await sent.finally(() => signal('postgres', 'SIGCONT'))
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({
    detail: expect.stringContaining('Idempotency-Key') as string,
  })
  const again = async () => (await sendCardOrder(cast.aurora, key)).status === 200
  await until(again, { what: 'Sending it again', withinMs: 60_000, everyMs: 500 })
  const { apiKey } = (await (await sendCardOrder(cast.aurora, key)).json()) as Order
  await paid(apiKey ?? '', 'CHARGED')
}, 180_000)

test('a killed RabbitMQ costs 503s and no process; orders are taken again by themselves', async () => {
  const before = servicesOf()
  signal('rabbitmq', 'SIGKILL')
  const { status, ms } = await timed()
  expect(status).toBe(503)
  expect(ms).toBeLessThan(ANSWERED_WITHIN_MS)
  // RabbitMQ itself takes 4 s to start, and many more on a busy machine.
  await until(() => answersAmqp(stack.file.urls.rabbitmq), { what: 'Starting RabbitMQ', withinMs: 120_000 })
  await areTakenAgain()
  expect(servicesOf()).toEqual(before)
})

test('an order that nobody at a console takes for 15 minutes is cancelled, and its charge given back', async () => {
  const atConsole = stack.file.restaurants.find(({ link }) => link === 'console')!
  const apiKey = await chargedOrder(atConsole.apiKey)
  await withClient(stack.file.urls.postgres, (client) =>
    client.query(`update orders.orders set placed_at = now() - interval '16 minutes' where api_key = $1`, [
      apiKey,
    ]),
  )
  await paid(apiKey, 'REFUNDED')
  expect((await read(apiKey)).cancellation).toMatchObject({ cancelledBy: 'system' })
}, 180_000)

const nothingIsMissing = async () => {
  await vi.waitFor(async () => expect(await page.missing()).toEqual([]), { timeout: 60_000, interval: 100 })
  expect(page.orders.size).toBeGreaterThan(20)
}

test("a restaurant's page has gone on through all of that over one stream, and nothing is missing on it", async () => {
  await nothingIsMissing()
  expect(page.breaks).toBe(0)
})

test('the replicas of orders, killed, cut the page off; it comes back by itself, and nothing is missing', async () => {
  for (const pid of stack.pids('orders')) process.kill(pid, 'SIGKILL')
  await areTakenAgain()
  await expect.poll(() => page.breaks).toBe(1)
  await nothingIsMissing()
})

test('a replica of each service, restarted under load, fails no request, and each ends within 10 seconds', async () => {
  const { restarts, requests, failed } = await rollingRestarts(stack, {
    rounds: 1,
    replicas: 1,
    send,
    atOnce: 2,
  })
  expect(failed).toEqual([])
  expect(requests).toBeGreaterThan(restarts.length)
  expect(restarts).toHaveLength(5)
}, 300_000)

/** The short form of `npm run chaos`: half a minute, and always the same faults in the same order. */
const seed = Number(process.env['CHAOS_SEED'] ?? 40)

test('everything is killed, frozen and wiped under load: none lost, none doubled, none wrong, none stuck', async () => {
  await page.close()
  const report = await runChaos(stack, {
    orders: 80,
    atOnce: 6,
    seed,
    pauseMs: [200, 700],
    mostFaults: ONE_ROUND,
    say,
  })
  expect(report.violations).toEqual([])
  expect(report.settledMs).not.toBeNull()
  expect(new Set(report.faults.map(({ what }) => what))).toEqual(new Set(EVERY_FAULT))
}, 300_000)
