import { connect } from 'node:net'
import { createApp, createLog, readBytes, Replicas, type App } from '@platter/kit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { webhooks } from '#/routes/webhooks.ts'

const log = createLog('test', 'silent')
const BODY = '{ "id":"evt_1",\n\t"é": 1.0 }'
let payments: App
let app: App
let upstream: Replicas
let received: { headers: Record<string, unknown>; body: string } | null

beforeAll(async () => {
  payments = createApp(log)
  readBytes(payments)
  payments.post('/webhooks/stripe', async ({ headers, body }, reply) => {
    received = { headers, body: (body as Buffer).toString() }
    if (headers['stripe-signature'] === 'forged') return reply.code(400).send({})
    return reply.code(202).send({ received: true })
  })
  await payments.listen({ host: '127.0.0.1', port: 0 })
  app = createApp(log)
  readBytes(app)
  upstream = new Replicas([payments.listeningOrigin])
  webhooks(app, upstream)
  await app.listen({ host: '127.0.0.1', port: 0 })
})
beforeEach(() => {
  received = null
})
afterAll(async () => {
  await app.close()
  await upstream.close()
  await payments.close()
})

const post = (headers: Record<string, string>, payload = BODY) =>
  app.inject({
    method: 'POST',
    url: '/webhooks/stripe?access-token=a-key',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  })

test('forwards the bytes and the signature unchanged, without an access key, and returns the response', async () => {
  const { statusCode, body } = await post({ 'stripe-signature': 't=1,v1=a' })
  expect({ statusCode, body }).toEqual({ statusCode: 202, body: '{"received":true}' })
  expect(received).toMatchObject({ headers: { 'stripe-signature': 't=1,v1=a' }, body: BODY })
})

test('forwards no access key, no forged principal and no cookie', async () => {
  await post({ 'stripe-signature': 's', 'x-platter-principal': 'p', cookie: 'c', 'x-access-token': 'k' })
  const names = Object.keys(received?.headers ?? {}).toSorted()
  expect(names).toEqual([
    'connection',
    'content-length',
    'content-type',
    'host',
    'stripe-signature',
    'x-platter-timeout-ms',
    'x-request-id',
  ])
})

test('400 without a signature, without a request to payments', async () => {
  expect((await post({})).statusCode).toBe(400)
  expect(received).toBeNull()
})

test('413 for a body above 256 KiB', async () => {
  expect((await post({ 'stripe-signature': 's' }, 'x'.repeat(256 * 1024 + 1))).statusCode).toBe(413)
})

const forge = (remoteAddress: string) =>
  app.inject({
    method: 'POST',
    url: '/webhooks/stripe',
    remoteAddress,
    headers: { 'stripe-signature': 'forged' },
    payload: BODY,
  })

test('429 for an address with wrong signatures, without a request to payments; other addresses are served', async () => {
  await expect.poll(async () => (await forge('192.0.2.1')).statusCode, { interval: 1 }).toBe(429)
  received = null
  const { statusCode, headers } = await forge('192.0.2.1')
  expect({ statusCode, received }).toEqual({ statusCode: 429, received: null })
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect((await forge('192.0.2.2')).statusCode).toBe(400)
})

test('correctly signed events do not count for the limit of their address', async () => {
  const statuses = new Set<number>()
  for (let count = 0; count < 40; count++) statuses.add((await post({ 'stripe-signature': 's' })).statusCode)
  expect(statuses).toEqual(new Set([202]))
})

test('events are forwarded while another address sends 100 bodies that never end', async () => {
  const url = new URL(app.listeningOrigin)
  const head =
    'POST /webhooks/stripe HTTP/1.1\r\nhost: x\r\nstripe-signature: s\r\ncontent-length: 9\r\n\r\n{'
  const sockets = Array.from({ length: 100 }, () => connect(Number(url.port), url.hostname))
  let rejected = 0
  for (const socket of sockets) {
    socket.on('data', () => (rejected += 1))
    socket.write(head)
  }
  // The address has at most two thirds of the permits.
  await expect.poll(() => rejected).toBe(33)
  const { statusCode } = await app.inject({
    method: 'POST',
    url: '/webhooks/stripe',
    remoteAddress: '192.0.2.3',
    headers: { 'stripe-signature': 't=1,v1=a' },
    payload: BODY,
  })
  for (const socket of sockets) socket.destroy()
  expect(statusCode).toBe(202)
})

test('503 while payments is unavailable, so that Stripe retries', async () => {
  const alone = createApp(log)
  readBytes(alone)
  const unavailable = new Replicas(['http://127.0.0.1:1'])
  webhooks(alone, unavailable)
  const { statusCode } = await alone.inject({
    method: 'POST',
    url: '/webhooks/stripe',
    headers: { 'stripe-signature': 's', 'content-type': 'application/json' },
    payload: BODY,
  })
  expect(statusCode).toBe(503)
  await alone.close()
  await unavailable.close()
})

test('the gateway routes only POST /webhooks/stripe', async () => {
  for (const [method, url] of [
    ['GET', '/webhooks/stripe'],
    ['POST', '/webhooks'],
    ['POST', '/webhooks/other'],
    ['POST', '/internal/tokenize'],
  ] as const)
    expect((await app.inject({ method, url, headers: { 'stripe-signature': 's' } })).statusCode).toBe(404)
})
