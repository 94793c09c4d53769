import { setTimeout as wait } from 'node:timers/promises'
import { operations, requestTimes, RestaurantMenu, SendOrder, type Principal } from '@platter/contracts'
import {
  ADMISSION_POLICIES,
  createApp,
  createLog,
  hashAccessKey,
  LeakyBucket,
  makeAccessKey,
  readBytes,
  Replicas,
  TIMEOUT_HEADER,
  type App,
  type Log,
} from '@platter/kit'
import { SharedRateLimit } from '@platter/kit/limits/shared-rate-limit'
import { afterEach, expect, test, vi } from 'vitest'
import { AccessKeys } from '#/access-keys.ts'
import { Admission } from '#/admission.ts'
import { cors } from '#/cors.ts'
import { addPublicRoutes, ONE_REPLICA_EACH } from '#/testing/public-routes.ts'

const SEND_ORDER = '/publicapi/v1/send-order'
const SIGNIN = '/publicapi/v1/signin'
const silent = createLog('test', 'silent')
let stack = new AsyncDisposableStack()
afterEach(async () => {
  const last = stack
  stack = new AsyncDisposableStack()
  await last.disposeAsync()
  vi.useRealTimers()
})

/** Stops the clock: no rate limit window ends during the test. */
const stopClock = () => void vi.useFakeTimers({ toFake: ['performance'] })

/** A request in progress at the service. */
type PendingRequest = { respond(): void }
type Options = { full?: number; requests?: number; ordersPerSecond?: number; log?: Log }

/** Starts a gateway with `full` permits for orders. Its service responds to a POST when the test calls `respond`. */
async function aGateway({ full = 3, requests = 1_000, ordersPerSecond = 1_000, log = silent }: Options = {}) {
  const waiting: PendingRequest[] = []
  const sent: Promise<Response>[] = []
  const owner = createApp(silent)
  readBytes(owner)
  owner.get('/*', async ({ headers }) => ({ remainingMs: headers[TIMEOUT_HEADER] }))
  owner.post('/*', (_request, reply) => {
    waiting.push({ respond: () => void reply.send({}) })
  })
  await owner.listen({ host: '127.0.0.1', port: 0 })

  const principals = new Map<string, Principal>()
  const accounts = { isSilent: false, delayMs: 0 }
  const accessKeys = new AccessKeys((async (_: unknown, { hash }: { hash: string }) => {
    if (accounts.isSilent) await new Promise(() => undefined)
    if (accounts.delayMs > 0) await wait(accounts.delayMs)
    return { principal: principals.get(hash) ?? null }
  }) as unknown as ConstructorParameters<typeof AccessKeys>[0])
  const accessKeyRate = new SharedRateLimit(
    'redis://127.0.0.1:1',
    { name: 'default', what: 'requests', requests, seconds: 60 },
    silent,
  )
  const orderRate = new LeakyBucket({
    name: 'orders',
    what: 'orders sent or validated',
    requests: ordersPerSecond,
    seconds: 1,
  })
  const replicas = new Replicas([owner.listeningOrigin])
  const policies = {
    ...ADMISSION_POLICIES,
    order: { ...ADMISSION_POLICIES.order, gateway: { pool: 'orders', permits: full } },
    password: { ...ADMISSION_POLICIES.password, gateway: { pool: 'passwords', permits: full } },
  }
  const admission = new Admission({ replicas: ONE_REPLICA_EACH, accessKeyRate, orderRate, policies })
  const app = createApp(log, { exposed: { trustedProxies: [] } })
  readBytes(app)
  cors(app)
  addPublicRoutes(app, {
    operations: operations.filter((one) => one.owner === 'orders' || one.name === 'signin'),
    owners: { orders: replicas, accounts: replicas },
    admission,
    accessKeys,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  stack.defer(async () => {
    for (const one of waiting) one.respond()
    await Promise.all(sent)
    accessKeyRate.close()
    app.server.closeAllConnections()
    await app.close()
    await replicas.close()
    await owner.close()
  })
  const client = (applicationId: string, accessKeyId?: string): Client =>
    new Client(app, principals, { applicationId, accessKeyId })
  return { app, accounts, admission, waiting, sent, client }
}

class Client {
  readonly key = makeAccessKey('test')
  readonly #app: App

  constructor(
    app: App,
    principals: Map<string, Principal>,
    {
      applicationId,
      accessKeyId = `key of ${applicationId}`,
    }: { applicationId: string; accessKeyId: string | undefined },
  ) {
    this.#app = app
    const principal: Principal = { kind: 'application', applicationId, accessKeyId, mode: 'live' }
    principals.set(hashAccessKey(this.key), principal)
  }

  send(
    path = SEND_ORDER,
    headers: Record<string, string> = {},
    method: 'POST' | 'PUT' | 'OPTIONS' = 'POST',
  ): Promise<Response> {
    const all = { 'x-access-token': this.key, 'content-type': 'application/json', ...headers }
    const init = { method, headers: all, body: '{"a":1}' }
    return fetch(this.#app.listeningOrigin + path, init)
  }

  read(path: string): Promise<Response> {
    return fetch(this.#app.listeningOrigin + path, { headers: { 'x-access-token': this.key } })
  }
}

type Gateway = Awaited<ReturnType<typeof aGateway>>

/** Sends `count` requests of the client, and waits until all are in progress. */
async function fill({ waiting, sent }: Gateway, client: Client, count: number, path?: string): Promise<void> {
  const before = waiting.length
  sent.push(...Array.from({ length: count }, () => client.send(path)))
  await expect.poll(() => waiting.length).toBe(before + count)
}

test('503 with Retry-After above the limit, and the request never reaches the service', async () => {
  const gateway = await aGateway()
  const noisy = gateway.client('noisy')
  await fill(gateway, noisy, 2)
  const refused = await noisy.send()
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toMatch(/^[123]$/)
  expect(refused.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  expect(await refused.json()).toMatchObject({ code: 'overloaded', retryable: true })
  expect(gateway.waiting).toHaveLength(2)
})

test.each(['POST', 'PUT'] as const)(
  'the rejection of a %s is readable to pages of other origins',
  async (method) => {
    const gateway = await aGateway()
    const noisy = gateway.client('noisy')
    await fill(gateway, noisy, 2)
    const refused = await noisy.send(SEND_ORDER, {}, method)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After')
  },
)

test('an application with two thirds of the permits is rejected, and another one is not', async () => {
  const gateway = await aGateway()
  const noisy = gateway.client('noisy')
  await fill(gateway, noisy, 2)
  expect((await noisy.send()).status).toBe(503)
  await fill(gateway, gateway.client('quiet'), 1)
  gateway.waiting[2]?.respond()
  expect((await gateway.sent[2])?.status).toBe(200)
})

test('sign-ins of one application leave permits for those of another, and for orders', async () => {
  const gateway = await aGateway()
  const noisy = gateway.client('noisy')
  await fill(gateway, noisy, 2, SIGNIN)
  expect((await noisy.send(SIGNIN)).status).toBe(503)
  await fill(gateway, gateway.client('quiet'), 1, SIGNIN)
  await fill(gateway, noisy, 1)
})

test('a response to an order releases its permit', async () => {
  const gateway = await aGateway()
  const client = gateway.client('one')
  await fill(gateway, client, 2)
  gateway.waiting[0]?.respond()
  expect((await gateway.sent[0])?.status).toBe(200)
  await fill(gateway, client, 1)
  expect((await client.send()).status).toBe(503)
})

test('the rejection of an overload does not wait for accounts', async () => {
  stopClock()
  const gateway = await aGateway()
  const client = gateway.client('one')
  await fill(gateway, client, 2)
  gateway.accounts.isSilent = true
  vi.advanceTimersByTime(1_001)
  expect((await client.send()).status).toBe(503)
})

test('reads of orders are served above the limit of orders', async () => {
  const gateway = await aGateway()
  const client = gateway.client('one')
  await fill(gateway, client, 2)
  expect((await client.send()).status).toBe(503)
  expect((await client.read('/publicapi/v1/order/1')).status).toBe(200)
})

test('429 above the rate limit of an access key, with its fields', async () => {
  stopClock()
  const gateway = await aGateway({ requests: 2 })
  const client = gateway.client('one')
  await fill(gateway, client, 2)
  for (const one of gateway.waiting) one.respond()
  await Promise.all(gateway.sent)
  const refused = await client.send()
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=60')
  expect(refused.status).toBe(429)
  // A rotated key has the accessKeyId of the key that it replaces.
  expect((await gateway.client('one').send()).status).toBe(429)
  await fill(gateway, gateway.client('one', 'another key'), 1)
})

test('each replica of a service adds its permits to the limit of the gateway', () => {
  const rate = new LeakyBucket({ name: 'n', what: 'w', requests: 1, seconds: 1 })
  const replicas = { ...ONE_REPLICA_EACH, orders: 2, catalog: 3 }
  const admission = new Admission({ replicas, accessKeyRate: rate, orderRate: rate })
  const { order, read } = ADMISSION_POLICIES
  expect(admission.limitsOf(SendOrder).concurrency?.permits).toBe(2 * order.gateway.permits.first)
  expect(admission.limitsOf(RestaurantMenu).concurrency?.permits).toBe(3 * read.gateway.permits)
})

test('the time of the admission counts towards the deadline of a request', async () => {
  const gateway = await aGateway()
  gateway.accounts.delayMs = 300
  const response = await gateway.client('one').read('/publicapi/v1/order/1')
  const { remainingMs } = (await response.json()) as { remainingMs: string }
  // A timer may end a millisecond early.
  expect(Number(remainingMs)).toBeLessThanOrEqual(10_000 - 299 - requestTimes.relay)
})

test('429 above the order rate of an application, which limits no reads and no other application', async () => {
  stopClock()
  const gateway = await aGateway({ ordersPerSecond: 1 })
  const noisy = gateway.client('noisy')
  await fill(gateway, noisy, 1)
  const refused = await noisy.send()
  expect(refused.headers.get('ratelimit')).toBe('"orders";r=0;t=1')
  expect(refused.status).toBe(429)
  expect((await noisy.read('/publicapi/v1/order/1')).status).toBe(200)
  await fill(gateway, gateway.client('quiet'), 1)
})

test('an order counts for its application, with any of its access keys', async () => {
  stopClock()
  const gateway = await aGateway({ ordersPerSecond: 1 })
  await fill(gateway, gateway.client('one', 'first key'), 1)
  expect((await gateway.client('one', 'second key').send()).status).toBe(429)
})

test.each(['', 'unknown', makeAccessKey('live')])(
  'the access key %j is 401, also above the limit',
  async (key) => {
    const gateway = await aGateway()
    await fill(gateway, gateway.client('one'), 2)
    const response = await gateway.client('other').send(SEND_ORDER, { 'x-access-token': key })
    expect(response.status).toBe(401)
  },
)

test('a rejection has the request id of the client, also with the key in the query', async () => {
  const gateway = await aGateway()
  const client = gateway.client('one')
  await fill(gateway, client, 2)
  const response = await fetch(`${gateway.app.listeningOrigin}${SEND_ORDER}?access-token=${client.key}`, {
    method: 'POST',
    headers: { 'x-request-id': 'mine-1' },
  })
  expect(response.status).toBe(503)
  expect(response.headers.get('x-request-id')).toBe('mine-1')
  expect(await response.json()).toMatchObject({ instance: SEND_ORDER, requestId: 'mine-1' })
})

test('rejections are logged as one line with their number, and other requests as one line each', async () => {
  const lines: Record<string, unknown>[] = []
  const log = createLog('test', 'info', {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  })
  const gateway = await aGateway({ log })
  const client = gateway.client('one')
  await fill(gateway, client, 2)
  for (let time = 0; time < 3; time++) await client.send()
  await client.read('/publicapi/v1/order/1')
  gateway.admission.logRejections(log)
  gateway.admission.logRejections(log)
  expect(lines.filter(({ msg }) => String(msg).startsWith('request'))).toMatchObject([
    { msg: 'request', accessKeyId: 'key of one', status: 200 },
    { msg: 'requests rejected', accessKeyId: 'key of one', code: 'overloaded', count: 3 },
  ])
})
