import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, type Parts } from '@platter/kit'
import { startHttpServer, type HttpServer } from '@platter/testkit/http-server'
import { Stripe } from 'stripe'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { wire } from './wire.ts'

const SECRET = 'whsec_of_the_test'
let directory: string
let ledgerFile: string
let parts: Parts
let received: { type: string; id: string }[]
let receiver: HttpServer
const receive: RequestListener = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const signature = String(request.headers['stripe-signature'])
    const { type, id } = Stripe.webhooks.constructEvent(Buffer.concat(chunks), signature, SECRET)
    received.push({ type, id })
    response.writeHead(200).end('{}')
  })
}

beforeEach(async () => {
  received = []
  directory = mkdtempSync(join(tmpdir(), 'platter-dashboard-'))
  ledgerFile = join(directory, 'ledger.jsonl')
  receiver = await startHttpServer(receive)
  parts = start(`${receiver.url}/webhooks/processor`)
})
afterEach(async () => {
  await parts.app.close()
  await parts.close?.()
  await receiver.close()
  rmSync(directory, { recursive: true })
})

const start = (WEBHOOK_URL: string) =>
  wire(
    {
      HOST: '127.0.0.1',
      PORT: 0,
      LOG_LEVEL: 'fatal',
      LEDGER_FILE: ledgerFile,
      WEBHOOK_URL,
      WEBHOOK_SECRET: SECRET,
    },
    createLog('processor', 'fatal'),
  )

async function send(method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, key?: string) {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  const { statusCode, body } = await parts.app.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: statusCode, body: JSON.parse(body) as ResponseBody }
}

/** Creates a charge of 10.75, and returns its id. */
async function createCharge(): Promise<string> {
  const card = { cardNumber: '4242424242424242', cvv: '123', expirationMonth: '05', expirationYear: '33' }
  const { token } = (await send('POST', '/tokens', card)).body
  const { id } = (await send('POST', '/authorizations', { token, amount: 1075, reference: 'o1' }, 'a')).body
  await send('POST', `/authorizations/${id}/capture`, { amount: 1075 }, 'c')
  return id
}

type BalanceTransaction = { kind: string; amount: number; fee: number }
type ResponseBody = { id: string; token: string; balanceTransactions: BalanceTransaction[] }

const dispute = (amount: number) => ({ reference: 'o1', amount, reason: 'fraudulent' })
const lines = () =>
  readFileSync(ledgerFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; amount: number; outcome: string })
    .map(({ kind, amount, outcome }) => `${kind} ${amount} ${outcome}`)

test('a dashboard refund writes a ledger line, updates the charge, and sends a signed event', async () => {
  const id = await createCharge()
  expect(await send('POST', '/dashboard/refunds', { reference: 'o1', amount: 500 })).toMatchObject({
    status: 200,
    body: { status: 'refunded', amount: 500 },
  })
  expect(lines().at(-1)).toBe('refund 500 approved')
  expect((await send('GET', `/authorizations/${id}`)).body).toMatchObject({
    captured: 1075,
    refunded: 500,
    refunds: [{ amount: 500, state: 'done', idempotencyKey: null }],
    disputes: [],
  })
  await vi.waitFor(() => expect(received.map(({ type }) => type)).toEqual(['charge.refunded']))
})

test('a failed refund adds a reversing balance transaction, and the charge can be refunded again', async () => {
  const id = await createCharge()
  const fail = () => send('POST', '/dashboard/refunds/fail', { reference: 'o1' })
  expect(await fail()).toMatchObject({ status: 404, body: { code: 'no_such_refund' } })
  await send('POST', `/authorizations/${id}/refund`, { amount: 1075 }, 'f1')
  expect(await fail()).toMatchObject({ status: 200, body: { status: 'failed', amount: 1075 } })
  expect(await fail()).toMatchObject({ status: 404 })
  expect((await send('GET', `/authorizations/${id}`)).body).toMatchObject({
    status: 'captured',
    refunded: 0,
    refunds: [{ amount: 1075, state: 'failed', idempotencyKey: 'f1' }],
  })
  const { balanceTransactions } = (await send('GET', '/balance-transactions?from=0&to=9999999999&after=0'))
    .body
  expect(balanceTransactions.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['payment', 1075],
    ['refund', -1075],
    ['refund', 1075],
  ])
  expect(await send('POST', `/authorizations/${id}/refund`, { amount: 1075 }, 'f2')).toMatchObject({
    status: 200,
  })
  await vi.waitFor(() => expect(received.map(({ type }) => type)).toContain('refund.failed'))
})

test('a dispute opens and closes once; a won dispute returns its amount to the merchant', async () => {
  await createCharge()
  const { id } = (await send('POST', '/dashboard/disputes', dispute(1075))).body
  expect((await send('POST', '/dashboard/disputes', dispute(1))).body).toEqual({ code: 'already_disputed' })
  const close = (outcome: string) => send('POST', `/dashboard/disputes/${id}/close`, { outcome })
  expect((await close('won')).body).toMatchObject({ id, state: 'won', amount: 1075 })
  expect(await close('lost')).toMatchObject({ status: 409, body: { code: 'already_closed' } })
  expect(lines().slice(-2)).toEqual(['dispute 1075 approved', 'dispute 1075 won'])
  const { balanceTransactions } = (await send('GET', '/balance-transactions?from=0&to=9999999999&after=0'))
    .body
  expect(balanceTransactions.map(({ kind, amount, fee }) => [kind, amount, fee])).toEqual([
    ['payment', 1075, 61],
    ['dispute', -1075, 0],
    ['dispute-reversal', 1075, 0],
  ])
  await vi.waitFor(() =>
    expect(received.map(({ type }) => type).toSorted()).toEqual([
      'charge.dispute.closed',
      'charge.dispute.created',
    ]),
  )
})

test('a charge that is not refundable during its dispute is refunded only after the dispute is won', async () => {
  await createCharge()
  const { id } = (await send('POST', '/dashboard/disputes', { ...dispute(5), isRefundable: false })).body
  const refund = () => send('POST', '/dashboard/refunds', { reference: 'o1', amount: 1 })
  expect(await refund()).toMatchObject({ status: 409, body: { code: 'charge_disputed' } })
  await send('POST', `/dashboard/disputes/${id}/close`, { outcome: 'won' })
  expect((await refund()).status).toBe(200)
})

test('refuses impossible (409), unknown (404) and invalid (400) requests, and writes no line', async () => {
  await createCharge()
  const before = lines()
  const refusals = [
    ['refunds', { reference: 'o1', amount: 1076 }, 409],
    ['refunds', { reference: 'o2', amount: 1 }, 404],
    ['refunds', { reference: 'o1', amount: 0 }, 400],
    ['disputes', dispute(1076), 409],
    ['disputes', { reference: 'o1' }, 400],
    ['disputes/dp_none/close', { outcome: 'won' }, 404],
    ['disputes/dp_none/close', { outcome: 'drawn' }, 400],
  ] as const
  for (const [path, body, status] of refusals)
    expect((await send('POST', `/dashboard/${path}`, body)).status).toBe(status)
  expect(lines()).toEqual(before)
})

test('drop-request loses an event, and drop-reply delivers an event twice', async () => {
  await createCharge()
  await send('PUT', '/faults', { rules: [{ fault: 'drop-request', on: ['event'], next: 1 }] })
  await send('POST', '/dashboard/refunds', { reference: 'o1', amount: 1 })
  await send('PUT', '/faults', { rules: [{ fault: 'drop-reply', on: ['event'], next: 1 }] })
  await send('POST', '/dashboard/refunds', { reference: 'o1', amount: 2 })
  await vi.waitFor(() => expect(received).toHaveLength(2), 5_000)
  expect(new Set(received.map(({ id }) => id)).size).toBe(1)
})

test('the page lists the charges, and escapes the reason of a dispute', async () => {
  await createCharge()
  await send('POST', '/dashboard/disputes', { ...dispute(5), reason: '<script>' })
  const { body, headers } = await parts.app.inject({ method: 'GET', url: '/dashboard' })
  expect(headers['content-type']).toContain('text/html')
  expect(body).toContain('<code>o1</code>')
  expect(body).toContain('&#60;script&#62;: open')
})
