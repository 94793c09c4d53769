import {
  changeTimes,
  RestaurantOrdersStream,
  ResolveAccessKey,
  RestaurantOrders,
  type Principal,
} from '@platter/contracts'
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

/* A gateway between a client and an owner whose streams are the kit's: what happens to a stream on its way. */

const log = createLog('test', 'silent')
const INTERNAL_SECRET = 'a secret of at least thirty-two characters'
const STREAM = '/restaurantapi/v1/orders/stream'
const COMMENT_EVERY_MS = 100
/** Of an event of the owner that says as much as the connection takes. */
const LONG = JSON.stringify('x'.repeat(100_000))

const principals = new Map<string, Principal>()
let accounts: App
let owner: App
let streams: EventStreams
/** Of the streams that the owner has open, or had. */
let upstream: { sent: number; isOver: boolean }[]
/** What the owner sends: one event, or ever more of them. */
let talk: 'once' | 'on'
let gateway: ReturnType<typeof wire>
let address: string

beforeAll(async () => {
  accounts = createApp(log)
  readJson(accounts)
  router(accounts, [INTERNAL_SECRET])(ResolveAccessKey, async ({ body }) => ({
    principal: principals.get(body.hash) ?? null,
  }))
  await accounts.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => accounts.close())

beforeEach(async () => {
  talk = 'once'
  upstream = []
  streams = new EventStreams(COMMENT_EVERY_MS)
  owner = createApp(log)
  readJson(owner)
  const route = router(owner, [INTERNAL_SECRET])
  route(RestaurantOrders, async () => [])
  route(RestaurantOrdersStream, async () =>
    streams.answer(async (out) => {
      const { signal } = out
      const seen = { sent: 0, isOver: false }
      upstream.push(seen)
      signal.addEventListener('abort', () => (seen.isOver = true))
      for (const events = talk === 'on' ? Infinity : 1; seen.sent < events; seen.sent++)
        await out.send({ event: 'order', id: String(seen.sent), data: talk === 'on' ? LONG : '{}' })
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
      REDIS_URL: servers().redis,
      STREAMS_PER_RESTAURANT_KEY: '100',
    }),
    log,
  )
  await gateway.prepare?.()
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

/** Keys with the same `accessKeyId` replaced one another by rotation. */
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
): Promise<{ answer: Response; leave: () => void; rest: () => Promise<string> }> {
  const leaving = new AbortController()
  const answer = await fetch(`${address}${STREAM}`, {
    headers: { 'x-access-token': key },
    signal: leaving.signal,
  })
  return { answer, leave: () => leaving.abort(), rest: () => answer.text() }
}

const readsOrders = async (key: string) =>
  (await fetch(`${address}/restaurantapi/v1/orders`, { headers: { 'x-access-token': key } })).status

test('comments are relayed, and a client that disconnects ends the stream at its source', async () => {
  const { answer, leave } = await open(aKey())
  expect(answer.headers.get('connection')).toBe('close')
  expect(answer.headers.get('cache-control')).toContain('no-cache')
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (text.split('\n:\n').length < 3) text += (await reader.read()).value ?? ''
  expect(text).toMatch(/^retry: 1000\n\nevent: order\nid: 0\ndata: \{\}\n\n:\n\n:\n\n/)
  leave()
  await expect.poll(() => upstream).toEqual([{ sent: 1, isOver: true }])
})

test('429 above the stream limit of the key, with Retry-After, until a stream closes; other keys and requests are served', async () => {
  const key = aKey()
  const held = await Promise.all(Array.from({ length: 100 }, () => open(key)))
  expect(held.map(({ answer }) => answer.status)).toEqual(held.map(() => 200))
  const refused = await open(key)
  expect(refused.answer.status).toBe(429)
  expect(refused.answer.headers.get('retry-after')).toBe('5')
  expect(JSON.parse(await refused.rest())).toMatchObject({ code: 'rate-limited', retryable: true })
  // More streams than a pool has connections, and there is one left for this.
  expect(await readsOrders(key)).toBe(200)
  const other = await open(aKey())
  expect(other.answer.status).toBe(200)
  other.leave()
  held.pop()?.leave()
  const another = async () => {
    const next = await open(key)
    held.push(next)
    return next.answer.status
  }
  await expect.poll(another).toBe(200)
  for (const { leave } of held) leave()
})

// Within two seconds: packages/contracts/src/change-times.unit.test.ts.
test('a stream whose key is revoked ends', async () => {
  const key = aKey()
  const stream = await open(key)
  principals.delete(hashAccessKey(key))
  await stream.rest()
  await expect.poll(() => upstream[0]?.isOver).toBe(true)
})

test.each([
  ['the replaced key is revoked, its stream opened first', { opened: 'replaced first', revoked: 'replaced' }],
  ['the replaced key is revoked, its stream opened last', { opened: 'new first', revoked: 'replaced' }],
  ['the new key is revoked, its stream opened first', { opened: 'new first', revoked: 'new' }],
  ['the new key is revoked, its stream opened last', { opened: 'replaced first', revoked: 'new' }],
])(
  'after a rotation a revocation ends the streams of its own key only: %s',
  async (_, { opened, revoked }) => {
    const lineage = crypto.randomUUID()
    const keys = { replaced: aKey(lineage), new: aKey(lineage) }
    const inOrder = opened === 'new first' ? [keys.new, keys.replaced] : [keys.replaced, keys.new]
    const held = []
    for (const key of inOrder) {
      held.push({ key, ...(await open(key)) })
      await expect.poll(() => upstream).toHaveLength(held.length)
    }
    const revokedKey = revoked === 'new' ? keys.new : keys.replaced
    principals.delete(hashAccessKey(revokedKey))
    await held.find(({ key }) => key === revokedKey)?.rest()
    // The other stream has survived two more rounds, and the longest round takes 20 % more.
    await wait(2 * 1.2 * changeTimes.streamKeys)
    expect(upstream.map(({ isOver }) => isOver)).toEqual(inOrder.map((key) => key === revokedKey))
    for (const { leave } of held) leave()
  },
)

test('a stopping gateway ends its streams at once, new ones included', async () => {
  const key = aKey()
  const stream = await open(key)
  await gateway.quiesce?.()
  expect(await stream.rest()).toContain('id: 0')
  const late = await open(key)
  expect(late.answer.status).toBe(200)
  expect(await late.rest()).toBe('retry: 1000\n\n')
  expect(upstream).toHaveLength(1)
})

test('a stopping upstream ends its streams, and the response to the client completes', async () => {
  const stream = await open(aKey())
  await expect.poll(() => upstream).toHaveLength(1)
  streams.end()
  expect(await stream.rest()).toContain('id: 0')
})

test('a stream that breaks at the upstream breaks for the client, and is not requested again', async () => {
  const stream = await open(aKey())
  await expect.poll(() => upstream).toHaveLength(1)
  owner.server.closeAllConnections()
  await expect(stream.rest()).rejects.toThrow('terminated')
  await wait(50)
  expect(upstream).toHaveLength(1)
})

test('the stream of a client that does not read ends at the upstream within 500 events', async () => {
  talk = 'on'
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${STREAM} HTTP/1.1\r\nHost: platter\r\nX-Access-Token: ${aKey()}\r\n\r\n`)
  socket.pause()
  await expect.poll(() => upstream[0]?.isOver).toBe(true)
  // What fits into the buffers of two connections, and no more of the endless stream.
  expect(upstream[0]?.sent).toBeLessThan(500)
  socket.destroy()
})
