import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations, type Principal } from '@platter/contracts'
import {
  createApp,
  createLog,
  hashAccessKey,
  makeAccessKey,
  readBytes,
  Replicas,
  type App,
} from '@platter/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AccessKeys } from '#/access-keys.ts'
import { consolePage } from '#/routes/console-page.ts'
import { consoleSession } from '#/routes/console-session.ts'
import { addPublicRoutes } from '#/testing/public-routes.ts'

const log = createLog('test', 'silent')
const folder = mkdtempSync(join(tmpdir(), 'platter-console-'))
const restaurantKey = makeAccessKey('live')
const applicationKey = makeAccessKey('live')
const principals = new Map<string, Principal>([
  [hashAccessKey(restaurantKey), { kind: 'restaurant', restaurantApiKey: 'marigold', accessKeyId: 'one' }],
  [
    hashAccessKey(applicationKey),
    { kind: 'application', applicationId: 'app', accessKeyId: 'two', mode: 'live' },
  ],
])

let owner: App
let received: Record<string, unknown> = {}
let gateway: App

function aGateway(pages = folder): App {
  const app = createApp(log)
  readBytes(app)
  const accessKeys = new AccessKeys((async (_: unknown, { hash }: { hash: string }) => ({
    principal: principals.get(hash) ?? null,
  })) as unknown as ConstructorParameters<typeof AccessKeys>[0])
  const replicas = new Replicas([owner.listeningOrigin])
  app.addHook('onClose', () => replicas.close())
  const owners = { accounts: replicas, catalog: replicas, orders: replicas, payments: replicas }
  addPublicRoutes(app, { operations, owners, accessKeys })
  consoleSession(app, accessKeys)
  consolePage(app, pages)
  return app
}

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Console</title>')
  writeFileSync(join(folder, 'assets/index-abc123.js'), 'export {}')
  owner = createApp(log)
  readBytes(owner)
  owner.all('/*', async (request) => {
    received = request.headers
    return []
  })
  await owner.listen({ host: '127.0.0.1', port: 0 })
  gateway = aGateway()
})

afterAll(async () => {
  await gateway.close()
  await owner.close()
  rmSync(folder, { recursive: true })
})

const HOST = 'localhost:8080'
const ownSite = { 'sec-fetch-site': 'same-origin' }
const ownPage = { host: HOST, ...ownSite }
const secureCookies = [
  `__Host-platter-console=${restaurantKey}; Path=/; HttpOnly; Secure; SameSite=Strict`,
  'platter-console=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
]
type Headers = Record<string, string>

const signIn = (accessKey: unknown, headers: Headers = ownPage, remoteAddress = '127.0.0.1') =>
  gateway.inject({
    method: 'POST',
    url: '/console/session',
    remoteAddress,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify({ accessKey }),
  })

const signedIn = (headers: Headers = {}, key = restaurantKey): Headers => ({
  host: HOST,
  cookie: `platter-console=${key}`,
  ...headers,
})

const readOrders = (headers: Headers) =>
  gateway.inject({ method: 'GET', url: '/restaurantapi/v1/orders', headers })
const refuseOrder = (headers: Headers) =>
  gateway.inject({ method: 'POST', url: '/restaurantapi/v1/order/1/refuse', headers })

describe('sign-in to the console', () => {
  test('a restaurant key sets an HttpOnly SameSite=Strict cookie, and removes the __Host- one', async () => {
    const { statusCode, headers, body } = await signIn(restaurantKey)
    expect(statusCode).toBe(200)
    expect(JSON.parse(body)).toEqual({ restaurantApiKey: 'marigold' })
    expect(headers['set-cookie']).toEqual([
      `platter-console=${restaurantKey}; Path=/; HttpOnly; SameSite=Strict`,
      '__Host-platter-console=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
    ])
    expect(headers['cache-control']).toBe('no-store')
  })

  test.each(['console.example.org', '192.168.1.20:8080', 'localhost.example.org'])(
    'on %s the cookie is Secure, with the prefix __Host-',
    async (host) => {
      const { headers } = await signIn(restaurantKey, { ...ownPage, host })
      expect(headers['set-cookie']).toEqual(secureCookies)
    },
  )

  const page = { origin: 'https://console.example.org', 'sec-fetch-site': 'same-origin' }
  const nginx = { host: '127.0.0.1:8080' }
  const apache = {
    ...nginx,
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-host': 'console.example.org',
    'x-forwarded-server': 'console.example.org',
  }

  test.each<[proxy: string, headers: Headers]>([
    ['nginx with its default headers', { ...nginx, ...page }],
    ['nginx that adds X-Forwarded-For', { ...nginx, ...page, 'x-forwarded-for': '203.0.113.7' }],
    [
      'nginx that adds X-Forwarded-Proto',
      { ...nginx, ...page, 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' },
    ],
    [
      'nginx that adds X-Real-IP, for a browser without Origin',
      { ...nginx, 'x-real-ip': '203.0.113.7', ...ownSite },
    ],
    ['Apache with its default headers', { ...apache, ...page }],
    ['Apache, for a browser without Origin', { ...apache, ...ownSite }],
    ['Apache that adds X-Forwarded-Proto', { ...apache, ...page, 'x-forwarded-proto': 'https' }],
    ['a proxy that adds Forwarded', { ...nginx, ...ownSite, forwarded: 'for=203.0.113.7;proto=https' }],
    ['a proxy that adds Via', { ...nginx, ...ownSite, via: '1.1 proxy' }],
  ])('behind %s on this machine the cookie is Secure', async (_, headers) => {
    const response = await signIn(restaurantKey, headers)
    expect(response.statusCode).toBe(200)
    expect(response.headers['set-cookie']).toEqual(secureCookies)
  })

  test.each<[from: string, isSecure: boolean, headers: Headers, address: string]>([
    ['this machine', false, { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' }, '127.0.0.1'],
    ['this machine, by IPv6', false, { host: '[::1]:8080', origin: 'http://[::1]:8080' }, '::1'],
    ['this machine, by a mapped address', false, { host: 'localhost' }, '::ffff:127.0.0.1'],
    [
      'this machine, through a port of Docker',
      false,
      { host: 'localhost', origin: 'http://localhost' },
      '172.18.0.1',
    ],
    ['another machine that does not name its origin', true, { host: 'localhost:8080' }, '172.18.0.1'],
    [
      'a page of another host',
      true,
      { host: 'localhost:8080', origin: 'http://console.example.org' },
      '127.0.0.1',
    ],
    ['a page without an origin', true, { host: 'localhost:8080', origin: 'null' }, '127.0.0.1'],
  ])('a sign-in from %s sets a cookie with Secure: %s', async (_, isSecure, headers, address) => {
    const response = await signIn(restaurantKey, { ...ownSite, ...headers }, address)
    const [cookie] = response.headers['set-cookie'] ?? []
    expect(cookie).toContain(restaurantKey)
    expect(cookie?.includes('Secure')).toBe(isSecure)
  })

  test.each([
    ['the key of an application', 403, 'not-allowed', applicationKey],
    ['an unknown key', 401, 'access-token-invalid', makeAccessKey('live')],
    ['an empty key', 401, 'access-token-missing', ''],
    ['a number', 400, 'missing-field', 7],
  ])('a sign-in with %s is %i, and sets no cookie', async (_, status, code, key) => {
    const { statusCode, headers, body } = await signIn(key)
    expect({ statusCode, ...JSON.parse(body) }).toMatchObject({ statusCode: status, code })
    expect(headers['set-cookie']).toBeUndefined()
  })

  test('429 for the 31st unknown key of one client', async () => {
    const app = aGateway()
    const statuses: number[] = []
    for (let time = 0; time < 31; time++) {
      const { statusCode } = await app.inject({
        method: 'POST',
        url: '/console/session',
        headers: { ...ownPage, 'content-type': 'application/json' },
        payload: JSON.stringify({ accessKey: makeAccessKey('live') }),
      })
      statuses.push(statusCode)
    }
    await app.close()
    expect(statuses.filter((status) => status === 401)).toHaveLength(30)
    expect(statuses.at(-1)).toBe(429)
  })

  test('GET returns the signed-in restaurant or 401, and DELETE removes both cookies', async () => {
    const session = await gateway.inject({ method: 'GET', url: '/console/session', headers: signedIn() })
    expect(session.json()).toEqual({ restaurantApiKey: 'marigold' })
    const without = await gateway.inject({ method: 'GET', url: '/console/session', headers: { host: HOST } })
    expect(without.statusCode).toBe(401)
    const removed = await gateway.inject({
      method: 'DELETE',
      url: '/console/session',
      headers: signedIn(ownPage),
    })
    expect(removed.headers['set-cookie']).toEqual([
      'platter-console=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
      '__Host-platter-console=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
    ])
  })
})

describe('session cookie instead of the x-access-token header', () => {
  test('is accepted for operations of restaurants, and is not forwarded to the service', async () => {
    expect((await readOrders(signedIn())).statusCode).toBe(200)
    expect((await refuseOrder(signedIn(ownPage))).statusCode).toBe(200)
    expect(received).not.toHaveProperty('cookie')
    expect(JSON.stringify(received)).not.toContain(restaurantKey)
  })

  test('is 401 for operations of applications, and 403 with the key of an application', async () => {
    const { statusCode, body } = await gateway.inject({
      method: 'GET',
      url: '/publicapi/v1/restaurant/search',
      headers: signedIn(ownPage, applicationKey),
    })
    expect({ statusCode, ...JSON.parse(body) }).toMatchObject({
      statusCode: 401,
      code: 'access-token-missing',
    })
    expect((await readOrders(signedIn({}, applicationKey))).statusCode).toBe(403)
  })

  test('is ignored when the request has an x-access-token header, valid or not', async () => {
    expect((await readOrders(signedIn({ 'x-access-token': 'guessed' }))).statusCode).toBe(401)
    const withBoth = signedIn({ 'x-access-token': restaurantKey }, 'guessed')
    expect((await refuseOrder(withBoth)).statusCode).toBe(200)
  })

  test('is accepted on a host with TLS only with the prefix __Host-', async () => {
    const host = 'console.example.org'
    expect((await readOrders(signedIn({ host }))).statusCode).toBe(401)
    const cookie = `__Host-platter-console=${restaurantKey}`
    expect((await readOrders({ host, cookie })).statusCode).toBe(200)
  })

  test('is ignored behind a TLS proxy on this machine, unless it has the prefix __Host-', async () => {
    const forwarded = { host: '127.0.0.1:8080', 'x-forwarded-for': '203.0.113.7' }
    expect((await readOrders(signedIn(forwarded))).statusCode).toBe(401)
    const page = { host: '127.0.0.1:8080', ...ownSite, origin: 'https://console.example.org' }
    expect((await refuseOrder(signedIn(page))).statusCode).toBe(401)
    const secure = `__Host-platter-console=${restaurantKey}`
    expect((await readOrders({ ...forwarded, cookie: secure })).statusCode).toBe(200)
    expect((await refuseOrder({ ...page, cookie: secure })).statusCode).toBe(200)
    const both = `platter-console=${makeAccessKey('live')}; ${secure}`
    expect((await readOrders({ host: '127.0.0.1:8080', cookie: both })).statusCode).toBe(200)
  })
})

describe('write requests with the session cookie, by origin', () => {
  test.each<[name: string, status: number, headers: Headers]>([
    ['another site', 403, { 'sec-fetch-site': 'cross-site' }],
    ['another host of this site', 403, { 'sec-fetch-site': 'same-site' }],
    ['a typed address', 403, { 'sec-fetch-site': 'none' }],
    ['another origin, in an old browser', 403, { origin: 'http://localhost:9999' }],
    ['no origin, in an old browser', 403, { origin: 'null' }],
    ['a client without origin headers', 403, {}],
    ['the console, in an old browser', 200, { origin: 'http://localhost:8080' }],
    ['the console', 200, { 'sec-fetch-site': 'same-origin', origin: 'http://behind-a-proxy' }],
  ])('a write or a sign-in from %s is %i', async (_, status, headers) => {
    expect((await refuseOrder(signedIn(headers))).statusCode).toBe(status)
    expect((await signIn(restaurantKey, { host: HOST, ...headers })).statusCode).toBe(status)
  })
})

describe('console page', () => {
  test.each(['/console', '/console/', '/console/index.html'])('%s has no-cache and a CSP', async (url) => {
    const { statusCode, headers, body } = await gateway.inject({ method: 'GET', url })
    expect(statusCode).toBe(200)
    expect(body).toContain('<title>Console</title>')
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'permissions-policy': expect.stringContaining('camera=()') as string,
      'content-security-policy':
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'",
    })
  })

  test('assets are immutable and cacheable for a year', async () => {
    const { headers } = await gateway.inject({ method: 'GET', url: '/console/assets/index-abc123.js' })
    expect(headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
  })

  test.each([
    '/console/nothing.js',
    '/console/assets',
    '/console/assets/',
    '/console/..%2fpackage.json',
    '/console/%2e%2e/x',
    '/console/%00',
    '/console/a%5cb',
  ])('%s is 404 no-such-endpoint', async (url) => {
    const { statusCode, body } = await gateway.inject({ method: 'GET', url })
    expect({ statusCode, ...JSON.parse(body) }).toMatchObject({ statusCode: 404, code: 'no-such-endpoint' })
  })

  test.each(['bytes=99999-', 'pages=1'])('the range %s is ignored', async (range) => {
    const url = '/console/assets/index-abc123.js'
    const { statusCode, body } = await gateway.inject({ method: 'GET', url, headers: { range } })
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: 'export {}' })
  })

  test('without a build the page is 503 with the reason, and restaurant operations still work', async () => {
    const app = aGateway(join(folder, 'nowhere'))
    const { statusCode, body } = await app.inject({ method: 'GET', url: '/console/' })
    expect(statusCode).toBe(503)
    expect(body).toContain('not built')
    expect(
      (await app.inject({ method: 'GET', url: '/restaurantapi/v1/orders', headers: signedIn() })).statusCode,
    ).toBe(200)
    await app.close()
  })
})
