import { operations, ResolveAccessKey, type Caller } from '@platter/contracts'
import {
  createApp,
  createLog,
  hashAccessKey,
  makeAccessKey,
  Problem,
  readBytes,
  readConfig,
  readJson,
  router,
  type App,
} from '@platter/kit'
import { servers } from '@platter/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { Config } from '#/config.ts'
import { wire } from '#/wire.ts'

const log = createLog('test', 'silent')
const INTERNAL_SECRET = 'a secret of at least thirty-two characters'
const SEARCH = '/publicapi/v1/restaurant/search'

/** The principals that accounts returns, by the hash of the access key. */
const principals = new Map<string, Caller>()
/** The headers, the method and the URL of the last request to the upstream. */
let received: Record<string, unknown> = {}
/** The number of requests to accounts. */
let resolutions = 0
/** If-None-Match of each request for the menu; undefined without it. */
let revalidated: unknown[] = []
const MENU = '/publicapi/v1/restaurant/ajanta/menu'
let upstreams: App[] = []
const gateways: ReturnType<typeof wire>[] = []

beforeAll(async () => {
  const accounts = createApp(log)
  readJson(accounts)
  router(accounts, [INTERNAL_SECRET])(ResolveAccessKey, async ({ body }) => {
    resolutions += 1
    return { principal: principals.get(body.hash) ?? null }
  })
  const owner = createApp(log)
  readBytes(owner)
  owner.get(MENU, async ({ headers }, reply) => {
    revalidated.push(headers['if-none-match'])
    void reply.header('etag', '"1"').header('cache-control', 'private, no-cache').type('application/json')
    return headers['if-none-match'] === '"1"' ? reply.code(304).send() : reply.send('["menu"]')
  })
  owner.all('/*', async (request) => {
    received = { ...request.headers, method: request.method, url: request.url }
    if (request.url.includes('nothing')) throw new Problem('restaurant-not-found', 'There is none.')
    return []
  })
  upstreams = [accounts, owner]
  for (const app of upstreams) await app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(async () => {
  for (const gateway of gateways) {
    await gateway.quiesce?.()
    await gateway.app.close()
    await gateway.close?.()
  }
  for (const app of upstreams) await app.close()
})

async function aGateway(environment: Record<string, string> = {}): Promise<App> {
  const [accounts, owner] = upstreams.map((app) => app.listeningOrigin)
  const config = readConfig(Config, {
    NODE_ENV: 'development',
    PORT: '0',
    INTERNAL_SECRET,
    ACCOUNTS_URL: accounts,
    CATALOG_URL: owner,
    ORDERS_URL: owner,
    PAYMENTS_URL: owner,
    REDIS_URL: servers().redis,
    ...environment,
  })
  const gateway = wire(config, log)
  gateways.push(gateway)
  return gateway.app
}

/** Stops the clock of cached responses and rate limits until the test ends. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

function aKey(kind: 'application' | 'operator' = 'application'): string {
  const key = makeAccessKey('test')
  const accessKeyId = crypto.randomUUID()
  principals.set(
    hashAccessKey(key),
    kind === 'operator'
      ? { kind, accessKeyId }
      : { kind, accessKeyId, applicationId: 'an-application', mode: 'live' },
  )
  return key
}

const read = (app: App, key: string | null, more: { url?: string; headers?: Record<string, string> } = {}) =>
  app.inject({
    method: 'GET',
    url: more.url ?? SEARCH,
    headers: { ...(key !== null && { 'x-access-token': key }), ...more.headers },
  })

test('everyone can read the readiness of the gateway: it names accounts without its address', async () => {
  await aGateway({ ACCOUNTS_URL: 'http://127.0.0.1:1' })
  await expect(gateways.at(-1)?.checks['accounts']?.()).rejects.toThrow(/^no response$/)
})

test('the gateway is not ready while accounts rejects its signature', async () => {
  await aGateway()
  await expect(gateways.at(-1)?.checks['access-keys']?.()).resolves.toBeUndefined()
  await aGateway({ INTERNAL_SECRET: 'another secret of at least thirty-two characters' })
  await expect(gateways.at(-1)?.checks['access-keys']?.()).rejects.toThrow('does not resolve access keys')
})

test('a request whose head is just below the limit of the gateway reaches its service, which receives further fields', async () => {
  const app = await aGateway()
  const headers = { 'idempotency-key': 'k'.repeat(16_000) }
  const response = await read(app, aKey(), { url: '/publicapi/v1/order/o1', headers })
  expect(response.statusCode).toBe(200)
  expect(received['idempotency-key']).toHaveLength(16_000)
})

// The rate limit -------------------------------------------------------------------------------------------

test('responses to a known key have rate limit headers, also with status 403, 404 and 413', async () => {
  const app = await aGateway({ RATE_LIMIT_REQUESTS: '50' })
  const key = aKey()
  const responses = [
    await read(app, key),
    await read(app, key, { url: '/publicapi/v1/restaurant/nothing' }),
    await read(app, key, { url: '/operatorapi/v1/restaurants/x' }),
    await app.inject({
      method: 'PUT',
      url: '/operatorapi/v1/restaurants/x',
      headers: { 'x-access-token': key },
    }),
    await app.inject({
      method: 'POST',
      url: '/publicapi/v1/send-order',
      headers: { 'x-access-token': key, 'content-type': 'application/json' },
      payload: `"${'x'.repeat(70_000)}"`,
    }),
  ]
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 404, 405, 403, 413])
  const counted = responses.filter(({ statusCode }) => statusCode !== 405)
  expect(counted.map(({ headers }) => headers['ratelimit-policy'])).toEqual([
    '"default";q=50;w=10',
    '"default";q=50;w=10',
    '"default";q=50;w=10',
    '"default";q=50;w=10, "orders";q=50;w=1',
  ])
  const left = counted.map(({ headers }) => String(headers['ratelimit']).replaceAll(/t=\d+/g, 't'))
  expect(left).toEqual([
    '"default";r=49;t',
    '"default";r=48;t',
    '"default";r=47;t',
    '"default";r=46;t, "orders";r=49;t',
  ])
})

test('429 rate-limited above the limit of a key, with Retry-After; another key is served', async () => {
  const app = await aGateway({ RATE_LIMIT_REQUESTS: '3' })
  const key = aKey()
  for (let time = 0; time < 3; time++) expect((await read(app, key)).statusCode).toBe(200)
  const refused = await read(app, key)
  expect(refused.statusCode).toBe(429)
  expect(refused.json()).toMatchObject({ code: 'rate-limited', retryable: true, error: true })
  expect(refused.headers['ratelimit']).toMatch(/^"default";r=0;t=\d+$/)
  const wait = Number(refused.headers['retry-after'])
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
  expect((await read(app, aKey())).statusCode).toBe(200)
})

test('a gateway without Redis serves requests and limits their rate', async () => {
  const app = await aGateway({
    RATE_LIMIT_REQUESTS: '3',
    REDIS_URL: 'redis://127.0.0.1:1',
  })
  const key = aKey()
  const statuses: number[] = []
  for (let time = 0; time < 5; time++) statuses.push((await read(app, key)).statusCode)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
})

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

// Access keys ----------------------------------------------------------------------------------------------

test('401 for a missing or unknown key, before the body is read, without rate limit headers', async () => {
  const app = await aGateway()
  for (const key of [undefined, '', 'guessed', makeAccessKey('live')]) {
    const response = await app.inject({
      method: 'POST',
      url: '/publicapi/v1/send-order',
      headers: { ...(key !== undefined && { 'x-access-token': key }), 'content-type': 'application/json' },
      payload: `"${'x'.repeat(70_000)}"`,
    })
    expect(response.statusCode).toBe(401)
    expect(response.headers['ratelimit']).toBeUndefined()
    expect(response.headers['ratelimit-policy']).toBeUndefined()
  }
})

test('429 for the 31st bad key from one address; known keys and other addresses are unaffected', async () => {
  stopClock()
  const app = await aGateway({ TRUSTED_PROXIES: '127.0.0.0/8' })
  const known = aKey()
  expect((await read(app, known, from('192.0.2.1'))).statusCode).toBe(200)
  for (let time = 0; time < 30; time++) {
    const guess = time % 2 ? makeAccessKey('live') : 'guessed'
    expect((await read(app, guess, from('192.0.2.1'))).statusCode).toBe(401)
  }
  const before = resolutions
  const refused = await read(app, makeAccessKey('live'), from('192.0.2.1'))
  expect(refused.statusCode).toBe(429)
  expect(refused.json()).toMatchObject({ code: 'rate-limited' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50)
  expect(resolutions, 'accounts receives no request').toBe(before)
  expect((await read(app, known, from('192.0.2.1'))).statusCode).toBe(200)
  expect((await read(app, makeAccessKey('live'), from('192.0.2.2'))).statusCode).toBe(401)
})

const spoofed = (number: number) => ({
  headers: {
    'x-forwarded-for': `203.0.113.${number}`,
    forwarded: `for=203.0.113.${number}`,
    'x-real-ip': `203.0.113.${number}`,
    'x-forwarded-host': `host${number}.example`,
    'x-client-id': `client-${number}`,
    'x-client-address': `203.0.113.${number}`,
    'x-platter-principal': `principal-${number}`,
  },
})

test('a client that forges its address or its principal is counted by its key and its real address', async () => {
  const app = await aGateway({ RATE_LIMIT_REQUESTS: '3' })
  const statuses = async (times: number, key: () => string): Promise<number[]> => {
    const all: number[] = []
    for (let time = 0; time < times; time++) all.push((await read(app, key(), spoofed(time))).statusCode)
    return all
  }
  const key = aKey()
  expect(await statuses(4, () => key)).toEqual([200, 200, 200, 429])
  const guesses = await statuses(31, () => makeAccessKey('live'))
  expect(guesses).toEqual([...guesses.slice(0, 30).map(() => 401), 429])
})

// Forwarded requests ---------------------------------------------------------------------------------------

test.each([
  ['the socket address, whatever header the client sends', '', '203.0.113.9', '127.0.0.1'],
  ['X-Forwarded-For of a trusted proxy', '10.0.0.0/8,127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['the last untrusted address in X-Forwarded-For', '127.0.0.1', '198.51.100.7, 203.0.113.9', '203.0.113.9'],
  ['the socket address, when X-Forwarded-For is no address', '127.0.0.1', '<script>', '127.0.0.1'],
])('x-client-address is %s', async (_, TRUSTED_PROXIES, forwarded, address) => {
  const app = await aGateway({ TRUSTED_PROXIES })
  await read(app, aKey(), { headers: { 'x-forwarded-for': forwarded, 'x-client-address': '203.0.113.66' } })
  expect(received['x-client-address']).toBe(address)
  expect(received['x-forwarded-for']).toBeUndefined()
})

test('no service receives an access key, a cookie or a forged principal', async () => {
  const app = await aGateway()
  const key = aKey()
  await read(app, null, {
    url: `${SEARCH}?access-token=${key}&limit=1`,
    headers: { cookie: 'a=b', authorization: 'Bearer x', 'x-platter-principal': 'forged' },
  })
  expect(received['url']).toBe(`${SEARCH}?limit=1`)
  expect(JSON.stringify(received)).not.toContain(key)
  expect(received).not.toHaveProperty('cookie')
  expect(received).not.toHaveProperty('authorization')
  expect(received['x-platter-principal']).toMatch(/^ey/)
})

test.each([
  ['POST', SEARCH, 'GET'],
  ['PUT', '/publicapi/v1/validate-order', 'POST'],
  ['HEAD', SEARCH, 'HEAD'],
] as const)('a %s of %s is logged with its method, and forwarded as %s', async (method, url, forwardedAs) => {
  const app = await aGateway()
  const logged: string[] = []
  app.addHook('onResponse', async (request) => void logged.push(request.method))
  expect((await app.inject({ method, url, headers: { 'x-access-token': aKey() } })).statusCode).toBe(200)
  expect(logged).toEqual([method])
  expect(received['method']).toBe(forwardedAs)
})

test('all access keys share one request for a menu, and have their own request ids and quotas', async () => {
  stopClock()
  const app = await aGateway({ RATE_LIMIT_REQUESTS: '50' })
  revalidated = []
  const [one, other] = [aKey(), aKey()]
  const first = await read(app, one, { url: MENU })
  const second = await read(app, other, { url: `${MENU}?access-token=ignored` })
  expect([first.body, second.body]).toEqual(['["menu"]', '["menu"]'])
  expect([first.headers['etag'], second.headers['etag']]).toEqual(['"1"', '"1"'])
  expect(second.headers['content-type']).toBe(first.headers['content-type'])
  expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
  expect(second.headers['ratelimit']).toMatch(/^"default";r=49;/)
  expect(revalidated).toEqual([undefined])
})

test('the gateway returns 304 from memory for a matching If-None-Match, without a body', async () => {
  stopClock()
  const app = await aGateway()
  revalidated = []
  const key = aKey()
  await read(app, key, { url: MENU })
  const unchanged = await read(app, key, { url: MENU, headers: { 'if-none-match': 'W/"1"' } })
  expect([unchanged.statusCode, unchanged.body, unchanged.headers['etag']]).toEqual([304, '', '"1"'])
  expect(unchanged.headers['content-type']).toBeUndefined()
  const other = await read(app, key, { url: MENU, headers: { 'if-none-match': '"0"' } })
  expect([other.statusCode, other.body]).toEqual([200, '["menu"]'])
  expect(revalidated).toEqual([undefined])
  expect((await read(app, 'guessed', { url: MENU })).statusCode).toBe(401)
})

test('403 names the kind of access key that the endpoint needs', async () => {
  const response = await read(await aGateway(), aKey('operator'))
  expect(response.statusCode).toBe(403)
  expect(response.json()).toMatchObject({
    detail: 'This endpoint needs an access key of the kind application.',
  })
})

test('a HEAD that results in 304 has no content-length, which would be that of the 200', async () => {
  const app = await aGateway()
  const head = { method: 'HEAD', url: MENU } as const
  const key = { 'x-access-token': aKey() }
  expect((await app.inject({ ...head, headers: key })).headers['content-length']).toBe('8')
  const unchanged = await app.inject({ ...head, headers: { ...key, 'if-none-match': '"1"' } })
  expect([unchanged.statusCode, unchanged.headers['etag']]).toEqual([304, '"1"'])
  expect(unchanged.headers).not.toHaveProperty('content-length')
})

test.each([
  ['RATE_LIMIT_REQUESTS', '0'],
  ['TRUSTED_PROXIES', 'true'],
])('a gateway does not start with %s=%s', async (name, value) => {
  await expect(aGateway({ [name]: value })).rejects.toThrow(name)
})

test('every operation is routed', async () => {
  const app = await aGateway()
  expect(operations.filter(({ method, path }) => !app.hasRoute({ method, url: path }))).toEqual([])
})

test('its readiness includes every service, so that one monitor of the gateway watches the platform', async () => {
  await aGateway()
  const checks = Object.keys(gateways.at(-1)?.checks ?? {})
  expect(checks.toSorted()).toEqual(['access-keys', 'accounts', 'catalog', 'orders', 'payments'])
})
