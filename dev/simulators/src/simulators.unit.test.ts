import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, type Parts } from '@platter/kit'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { simulatorLink, SIMULATORS_SECRET, type Behaviour } from './link.ts'
import { wire } from './wire.ts'

const directory = mkdtempSync(join(tmpdir(), 'platter-simulators-'))
const RECEIPTS_FILE = join(directory, 'receipts.jsonl')
const log = createLog('simulators', 'fatal')

/** The simulators do not call the gateway in these tests, because no order reaches its first step. */
const start = () =>
  wire(
    {
      HOST: '127.0.0.1',
      PORT: 0,
      LOG_LEVEL: 'fatal',
      GATEWAY_URL: 'http://127.0.0.1:9',
      OPERATOR_KEY: 'k',
      RECEIPTS_FILE,
      STEP_MS: 3_600_000,
      SLOW_MS: 20,
    },
    log,
  )
const lines = () =>
  readFileSync(RECEIPTS_FILE, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

let parts: Parts
beforeEach(() => {
  parts = start()
})
afterEach(async () => {
  await stop()
  rmSync(RECEIPTS_FILE)
})
afterAll(() => rmSync(directory, { recursive: true }))

async function stop() {
  await parts.quiesce?.()
  await parts.app.close()
}

type Delivery = { order?: string; type?: string; secret?: string; data?: object }

function delivery({ order = 'o1', type = 'order.placed', secret = SIMULATORS_SECRET, data }: Delivery) {
  const at = new Date()
  const webhookId = `order_${order}`
  const payload = JSON.stringify({ type, data: data ?? { apiKey: order, restaurantApiKey: 'r1' } })
  const headers = {
    'content-type': 'application/json',
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(webhookId, at, payload),
  }
  return { headers, payload }
}

async function deliver(behaviour: string, sent: Delivery = {}) {
  const { statusCode, body } = await parts.app.inject({
    method: 'POST',
    url: `/${behaviour}`,
    ...delivery(sent),
  })
  return { status: statusCode, body: body === '' ? null : (JSON.parse(body) as unknown) }
}

test.each(['accepts', 'slow'])('%s: 204, and one receipt', async (behaviour) => {
  expect(await deliver(behaviour)).toEqual({ status: 204, body: null })
  expect(lines()).toEqual([
    {
      at: expect.any(String) as string,
      orderApiKey: 'o1',
      restaurantApiKey: 'r1',
      webhookId: 'order_o1',
      outcome: 'accepted',
    },
  ])
})

test('refuses: 409 with a reason, and a receipt with the outcome refused', async () => {
  expect(await deliver('refuses')).toEqual({
    status: 409,
    body: { reason: 'The kitchen cannot take any more orders.' },
  })
  expect(lines()).toMatchObject([{ orderApiKey: 'o1', outcome: 'refused' }])
})

test('ten concurrent deliveries of an order are all accepted, and have one receipt', async () => {
  const responses = await Promise.all(Array.from({ length: 10 }, () => deliver('accepts')))
  expect(responses.map(({ status }) => status)).toEqual(Array<number>(10).fill(204))
  expect(lines()).toHaveLength(1)
})

test('a delivery that is repeated after a restart has the first outcome, and no second receipt', async () => {
  await deliver('refuses', { order: 'o1' })
  await deliver('accepts', { order: 'o2' })
  await stop()
  parts = start()
  expect((await deliver('accepts', { order: 'o1' })).status).toBe(409)
  expect((await deliver('refuses', { order: 'o2' })).status).toBe(204)
  expect(lines()).toHaveLength(2)
})

test('a restart drops a truncated last receipt, and a repeated delivery of that order has a receipt', async () => {
  await deliver('accepts', { order: 'o1' })
  await deliver('accepts', { order: 'o2' })
  await stop()
  truncateSync(RECEIPTS_FILE, readFileSync(RECEIPTS_FILE).length - 10)
  parts = start()
  expect(lines()).toMatchObject([{ orderApiKey: 'o1' }])
  expect((await deliver('accepts', { order: 'o2' })).status).toBe(204)
  expect(lines()).toMatchObject([{ orderApiKey: 'o1' }, { orderApiKey: 'o2' }])
})

test('an invalid line prevents the start, and the error names it', async () => {
  appendFileSync(RECEIPTS_FILE, '{"orderApiKey":"o1"}\n')
  expect(start).toThrow(`${RECEIPTS_FILE}:1 is not a receipt`)
})

test.each<[string, string, Delivery, number]>([
  ['another secret', 'accepts', { secret: `whsec_${'A'.repeat(32)}` }, 401],
  ['a body that is not a delivery', 'accepts', { data: { apiKey: 7 } }, 401],
  ['an unknown restaurant', 'sleeps', {}, 404],
])('refuses %s, and writes no receipt', async (_, behaviour, sent, status) => {
  expect((await deliver(behaviour, sent)).status).toBe(status)
  expect(lines()).toEqual([])
})

test.each(['accepts', 'refuses', 'slow', 'silent', 'unreachable'])(
  '%s: 204 for a cancellation, and no receipt',
  async (behaviour) => {
    expect(await deliver(behaviour, { type: 'order.cancelled' })).toEqual({ status: 204, body: null })
    expect(lines()).toEqual([])
  },
)

async function deliverOverHttp(behaviour: Behaviour, signal?: AbortSignal) {
  const origin = await parts.app.listen({ host: '127.0.0.1', port: 0 })
  const { headers, payload } = delivery({})
  return fetch(simulatorLink(origin, behaviour).url, {
    method: 'POST',
    headers,
    body: payload,
    ...(signal && { signal }),
  })
}

test('unreachable: the connection is reset', async () => {
  await expect(deliverOverHttp('unreachable')).rejects.toThrow('fetch failed')
  expect(lines()).toEqual([])
})

test('silent: there is no response', async () => {
  await expect(deliverOverHttp('silent', AbortSignal.timeout(100))).rejects.toThrow('timeout')
  expect(lines()).toEqual([])
})
