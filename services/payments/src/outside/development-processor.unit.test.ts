import type { RequestListener } from 'node:http'
import { cents } from '@platter/contracts'
import { startHttpServer, type HttpServer } from '@platter/testkit/http-server'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { developmentProcessor } from '#/outside/development-processor.ts'
import type { Processor } from '#/outside/processor.ts'
import { CALL_WITHIN_MS, IMPATIENT_MS } from '#/testing/processor-contract.ts'

let server: HttpServer
let processor: Processor
let listener: RequestListener
let requests: string[]

beforeEach(async () => {
  requests = []
  server = await startHttpServer((request, response) => {
    const { method, url, headers } = request
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      requests.push(`${method} ${url} ${String(headers['idempotency-key'] ?? '-')} ${body}`)
      listener(request, response)
    })
  })
  processor = processorWithin(CALL_WITHIN_MS)
})
afterEach(async () => {
  await processor.close()
  await server.close()
})

const processorWithin = (ms: number) => developmentProcessor({ url: `${server.url}/` }, ms)

const respondWith = (status: number, body: string | object) => {
  listener = (_request, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
}
const authorize = (by = processor) =>
  by.authorize({
    idempotencyKey: 'o1:authorize:1',
    reference: 'o1',
    amount: cents(1075),
    token: 'tok_1',
  })

test('sends the requests that the development processor documents', async () => {
  respondWith(200, { id: 'auth_1', status: 'authorized', amount: 1075 })
  expect(await authorize()).toEqual({ kind: 'yes', id: 'auth_1', amount: 1075 })
  await processor.capture({ idempotencyKey: 'c', id: 'auth_1', amount: cents(1075) })
  await processor.void({ idempotencyKey: 'v', id: 'auth_1' })
  await processor.refund({ idempotencyKey: 'r', id: 'auth_1', amount: cents(1075) })
  respondWith(200, { authorizations: [{ id: 'auth_1', reference: 'o 1', amount: 1075, status: 'voided' }] })
  expect(await processor.find({ reference: 'o 1', token: 'tok_1' })).toEqual({
    kind: 'yes',
    found: [{ id: 'auth_1', amount: 1075, status: 'voided' }],
  })
  expect(requests).toEqual([
    'POST /authorizations o1:authorize:1 {"token":"tok_1","amount":1075,"reference":"o1"}',
    'POST /authorizations/auth_1/capture c {"amount":1075}',
    'POST /authorizations/auth_1/void v {}',
    'POST /authorizations/auth_1/refund r {"amount":1075}',
    'GET /authorizations?reference=o%201 - ',
  ])
})

test.each([
  [402, { code: 'card_declined', declineCode: 'insufficient_funds' }, 'card_declined', 'insufficient_funds'],
  [402, { code: 'expired_card' }, 'expired_card', 'expired_card'],
  [409, { code: 'already_voided' }, 'already_voided', 'already_voided'],
  [400, { code: 'no_such_token' }, 'no_such_token', 'no_such_token'],
  [404, { code: 'no_such_authorization' }, 'no_such_authorization', 'no_such_authorization'],
  // PostgreSQL cannot store NUL, and a terminal interprets U+009B as the start of an escape sequence.
  [
    402,
    { code: 'card_declined', declineCode: 'do_not\u0000\uD800\u009Bhonor' },
    'card_declined',
    'do_not \uFFFD honor',
  ],
])('a response %i %j is a final refusal', async (status, body, code, declineCode) => {
  respondWith(status, body)
  expect(await authorize()).toEqual({ kind: 'no', code, declineCode })
})

test.each([
  [200, 'not JSON'],
  [200, { id: 'auth_1' }],
  [200, { id: 'auth_1', amount: 10.75 }],
  [201, ''],
  [302, ''],
  [404, 'not JSON'],
  [408, { code: 'timeout' }],
  [409, { code: 'idempotency_in_progress' }],
  [409, 'not JSON'],
  [422, { code: 'idempotency_mismatch' }],
  [425, ''],
  [429, { code: 'too_many_requests' }],
  [500, { code: 'card_declined' }],
  [503, ''],
])('a response %i %j is an unknown outcome', async (status, body) => {
  respondWith(status, body)
  expect(await authorize()).toMatchObject({ kind: 'unknown' })
})

test('a response that is incomplete at the time limit is an unknown outcome', async () => {
  const impatient = processorWithin(IMPATIENT_MS)
  onTestFinished(() => impatient.close())
  listener = () => undefined
  expect(await authorize(impatient)).toEqual({ kind: 'unknown', reason: 'TimeoutError' })
  listener = (_request, response) => response.writeHead(200).write('{"id":')
  expect(await authorize(impatient)).toMatchObject({ kind: 'unknown' })
})

test('a response above the size limit is an unknown outcome', async () => {
  respondWith(200, { id: 'auth_1', amount: 1075, padding: 'x'.repeat(2 * 1024 * 1024) })
  expect(await authorize()).toEqual({ kind: 'unknown', reason: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' })
})

test('a connection that breaks after the request is an unknown outcome', async () => {
  listener = (request) => request.socket.resetAndDestroy()
  expect(await authorize()).toMatchObject({ kind: 'unknown' })
})

test('a refused connection is an unknown outcome, with its reason', async () => {
  const { url, close } = await startHttpServer(() => undefined)
  await close()
  const unavailable = developmentProcessor({ url })
  expect(await authorize(unavailable)).toEqual({ kind: 'unknown', reason: 'ECONNREFUSED' })
  await unavailable.close()
})

test('the URL of a challenge begins with publicUrl', async () => {
  respondWith(200, { id: 'auth_1', status: 'requires_action' })
  const hosted = developmentProcessor({ url: server.url, publicUrl: 'https://bank.example/' })
  const authentication = { returnUrl: null }
  const request = { idempotencyKey: 'k', reference: 'o1', amount: cents(1), token: 't', authentication }
  expect(await hosted.authorize(request)).toMatchObject({
    kind: 'challenge',
    url: 'https://bank.example/authentications/auth_1',
  })
  await hosted.close()
})

test('a result of tokenize does not contain the card number', async () => {
  respondWith(402, { code: 'card_declined', declineCode: 'invalid_number', message: '4242424242424241' })
  const card = { cardNumber: '4242424242424241', cvv: '123', expirationMonth: '05', expirationYear: '33' }
  expect(JSON.stringify(await processor.tokenize(card))).not.toContain('4242')
  listener = (request) => request.socket.destroy()
  expect(JSON.stringify(await processor.tokenize(card))).not.toContain('4242')
})
