import { RestaurantOrdersStream, ResolveAccessKey, RestaurantOrders, type Caller } from '@platter/contracts'
import {
  createApp,
  createLog,
  EventStreams,
  hashAccessKey,
  makeAccessKey,
  readConfig,
  readJson,
  router,
  type App,
} from '@platter/kit'
import { servers } from '@platter/testkit'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, afterAll, expect, test } from 'vitest'
import { Config } from '#/config.ts'
import { wire } from '#/wire.ts'

/* Event streams of the kit's `EventStreams`, relayed by a gateway to a client. */

const log = createLog('test', 'silent')
const INTERNAL_SECRET = 'a secret of at least thirty-two characters'
const STREAM = '/restaurantapi/v1/orders/stream'
const COMMENT_EVERY_MS = 100
/** The data of an event in an endless stream. */
const LONG = JSON.stringify('x'.repeat(100_000))

const principals = new Map<string, Caller>()
let accounts: App
let owner: App
let streams: EventStreams
/** All streams that the owner has opened, with the number of their events. */
let upstream: { sent: number; isOver: boolean }[]
/** Accounts responds after this promise. */
let accountsReady: Promise<void>
/** Whether a stream of the owner is endless; otherwise it has one event. */
let isEndless: boolean
let gateway: ReturnType<typeof wire>
let address: string

beforeAll(async () => {
  accounts = createApp(log)
  readJson(accounts)
  router(accounts, [INTERNAL_SECRET])(ResolveAccessKey, async ({ body }) => {
    await accountsReady
    return { principal: principals.get(body.hash) ?? null }
  })
  await accounts.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => accounts.close())

beforeEach(async () => {
  accountsReady = Promise.resolve()
  isEndless = false
  upstream = []
  streams = new EventStreams(COMMENT_EVERY_MS)
  owner = createApp(log)
  readJson(owner)
  const route = router(owner, [INTERNAL_SECRET])
  route(RestaurantOrders, async () => [])
  route(RestaurantOrdersStream, async () =>
    streams.respond(async (out) => {
      const { signal } = out
      const seen = { sent: 0, isOver: false }
      upstream.push(seen)
      signal.addEventListener('abort', () => (seen.isOver = true))
      for (const events = isEndless ? Infinity : 1; seen.sent < events; seen.sent++)
        await out.send({ event: 'order', id: String(seen.sent), data: isEndless ? LONG : '{}' })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }),
  )
  await owner.listen({ host: '127.0.0.1', port: 0 })
  gateway = wire(
    readConfig(Config, {
      NODE_ENV: 'development',
      PORT: '0',
      INTERNAL_SECRET,
      ACCOUNTS_URL: accounts.listeningOrigin,
      CATALOG_URL: accounts.listeningOrigin,
      ORDERS_URL: owner.listeningOrigin,
      PAYMENTS_URL: accounts.listeningOrigin,
      REDIS_URL: servers().redis,
    }),
    log,
  )
  address = await gateway.app.listen({ host: '127.0.0.1', port: 0 })
})

afterEach(async () => {
  await gateway.quiesce?.()
  streams.end()
  gateway.app.server.closeAllConnections()
  await gateway.app.close()
  await gateway.close?.()
  owner.server.closeAllConnections()
  await owner.close()
})

/** Creates an access key. Keys with the same `accessKeyId` are rotations of one key. */
function aKey(accessKeyId: string = crypto.randomUUID()): string {
  const key = makeAccessKey('test')
  principals.set(hashAccessKey(key), {
    kind: 'restaurant',
    accessKeyId,
    restaurantApiKey: 'a-restaurant',
  })
  return key
}

async function open(
  key: string,
): Promise<{ response: Response; disconnect: () => void; readRest: () => Promise<string> }> {
  const connection = new AbortController()
  const response = await fetch(`${address}${STREAM}`, {
    headers: { 'x-access-token': key },
    signal: connection.signal,
  })
  return { response, disconnect: () => connection.abort(), readRest: () => response.text() }
}

const readsOrders = async (key: string) =>
  (await fetch(`${address}/restaurantapi/v1/orders`, { headers: { 'x-access-token': key } })).status

test('comments are relayed, and a client that disconnects ends the stream at its source', async () => {
  const { response, disconnect } = await open(aKey())
  expect(response.headers.get('connection')).toBe('close')
  expect(response.headers.get('cache-control')).toContain('no-cache')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (text.split('\n:\n').length < 3) text += (await reader.read()).value ?? ''
  expect(text).toMatch(/^retry: 1000\n\nevent: order\nid: 0\ndata: \{\}\n\n:\n\n:\n\n/)
  disconnect()
  await expect.poll(() => upstream).toEqual([{ sent: 1, isOver: true }])
})

test('429 above the stream limit of the key, with Retry-After, until a stream closes; other keys and requests are served', async () => {
  const key = aKey()
  const openStreams = await Promise.all(Array.from({ length: 50 }, () => open(key)))
  expect(openStreams.map(({ response }) => response.status)).toEqual(openStreams.map(() => 200))
  const refused = await open(key)
  expect(refused.response.status).toBe(429)
  expect(refused.response.headers.get('retry-after')).toBe('5')
  expect(JSON.parse(await refused.readRest())).toMatchObject({ code: 'rate-limited', retryable: true })
  // Streams have their own connection pool, so they use up no connection of other requests.
  expect(await readsOrders(key)).toBe(200)
  const other = await open(aKey())
  expect(other.response.status).toBe(200)
  other.disconnect()
  openStreams.pop()?.disconnect()
  const another = async () => {
    const next = await open(key)
    openStreams.push(next)
    return next.response.status
  }
  await expect.poll(another).toBe(200)
  for (const { disconnect } of openStreams) disconnect()
})

test('a client that disconnects during its admission uses up no stream of its key', async () => {
  const { promise, resolve: admit } = Promise.withResolvers<void>()
  const { server } = gateway.app
  const connections = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
  let requests = 0
  server.on('request', () => requests++)
  accountsReady = promise
  const key = aKey()
  const clients = Array.from({ length: 50 }, () => {
    const client = connect(Number(new URL(address).port), '127.0.0.1')
    client.write(`GET ${STREAM} HTTP/1.1\r\nHost: gateway\r\nX-Access-Token: ${key}\r\n\r\n`)
    return client
  })
  await expect.poll(() => requests).toBe(50)
  for (const client of clients) client.destroy()
  await expect.poll(connections).toBe(0)
  admit()
  await expect.poll(() => readsOrders(key)).toBe(200)
  const stream = await open(key)
  expect(stream.response.status).toBe(200)
  stream.disconnect()
})

// The limit of two seconds: packages/contracts/src/change-times.unit.test.ts.
test('a stream whose key is revoked ends', async () => {
  const key = aKey()
  const stream = await open(key)
  principals.delete(hashAccessKey(key))
  await stream.readRest()
  await expect.poll(() => upstream[0]?.isOver).toBe(true)
})

test('the revocation of a rotated key ends its stream and no stream of the other key, in each order of opening', async () => {
  const openStreams: { key: string; isRevoked: boolean; stream: Awaited<ReturnType<typeof open>> }[] = []
  for (const opened of [
    ['replaced', 'new'],
    ['new', 'replaced'],
  ])
    for (const revoked of ['replaced', 'new']) {
      const lineage = crypto.randomUUID()
      for (const name of opened) {
        const key = aKey(lineage)
        openStreams.push({ key, isRevoked: name === revoked, stream: await open(key) })
        await expect.poll(() => upstream).toHaveLength(openStreams.length)
      }
    }
  const revokedStreams = openStreams.filter(({ isRevoked }) => isRevoked)
  for (const { key } of revokedStreams) principals.delete(hashAccessKey(key))
  await Promise.all(revokedStreams.map(({ stream }) => stream.readRest()))
  // The end of a stream of an unrelated key proves a later check of all keys.
  const unrelated = aKey()
  const last = await open(unrelated)
  await expect.poll(() => upstream).toHaveLength(openStreams.length + 1)
  principals.delete(hashAccessKey(unrelated))
  await last.readRest()
  const ended = upstream.slice(0, openStreams.length).map(({ isOver }) => isOver)
  expect(ended).toEqual(openStreams.map(({ isRevoked }) => isRevoked))
  for (const { stream } of openStreams) stream.disconnect()
})

test('a stopping gateway ends its streams at once, new ones included', async () => {
  const key = aKey()
  const stream = await open(key)
  await gateway.quiesce?.()
  expect(await stream.readRest()).toContain('id: 0')
  const late = await open(key)
  expect(late.response.status).toBe(200)
  expect(await late.readRest()).toBe('retry: 1000\n\n')
  expect(upstream).toHaveLength(1)
})

test('a stopping upstream ends its streams, and the response to the client completes', async () => {
  const stream = await open(aKey())
  await expect.poll(() => upstream).toHaveLength(1)
  streams.end()
  expect(await stream.readRest()).toContain('id: 0')
})

test('a stream that breaks at the upstream breaks for the client, and is not requested again', async () => {
  const stream = await open(aKey())
  await expect.poll(() => upstream).toHaveLength(1)
  owner.server.closeAllConnections()
  await expect(stream.readRest()).rejects.toThrow('terminated')
  await wait(50)
  expect(upstream).toHaveLength(1)
})

test('the stream of a client that does not read ends at the upstream within 500 events, and the client is disconnected', async () => {
  isEndless = true
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => socket.destroy())
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(`GET ${STREAM} HTTP/1.1\r\nHost: platter\r\nX-Access-Token: ${aKey()}\r\n\r\n`)
  socket.pause()
  await expect.poll(() => upstream[0]?.isOver).toBe(true)
  // The buffers of the two connections limit the number of events.
  expect(upstream[0]?.sent).toBeLessThan(500)
  // A paused socket does not observe the end of its connection.
  socket.resume()
  await closed
})
