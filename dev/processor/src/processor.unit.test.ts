import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, type Parts } from '@platter/kit'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { wire } from './wire.ts'

const directory = mkdtempSync(join(tmpdir(), 'platter-processor-'))
const LEDGER_FILE = join(directory, 'ledger.jsonl')
const start = () =>
  wire(
    { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'fatal', LEDGER_FILE, WEBHOOK_SECRET: 'whsec_test' },
    createLog('processor', 'fatal'),
  )
const lines = () =>
  readFileSync(LEDGER_FILE, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

let parts: Parts
beforeEach(() => {
  parts = start()
})
afterEach(async () => {
  await stop()
  rmSync(LEDGER_FILE)
})

afterAll(() => rmSync(directory, { recursive: true }))

async function stop() {
  await parts.app.close()
  await parts.close?.()
}

async function restart() {
  await stop()
  parts = start()
}

async function post(url: string, payload: object, key?: string) {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  const { statusCode, body } = await parts.app.inject({ method: 'POST', url, headers, payload })
  return { status: statusCode, body: JSON.parse(body) as Record<string, string> }
}

async function tokenOf(cardNumber: string) {
  const card = { cardNumber, cvv: '123', expirationMonth: '05', expirationYear: '33' }
  return (await post('/tokens', card)).body as { token: string; brand: string; lastFour: string }
}

const authorize = async (cardNumber: string, key = 'o1:authorize:1', amount = 1075) => {
  const { token } = await tokenOf(cardNumber)
  return post('/authorizations', { token, amount, reference: 'o1' }, key)
}

async function findAuthorizations(reference: string): Promise<unknown> {
  const { body } = await parts.app.inject({ method: 'GET', url: `/authorizations?reference=${reference}` })
  return (JSON.parse(body) as { authorizations: unknown }).authorizations
}

test('a token comes with the last four digits and the brand of the card', async () => {
  const { token, brand, lastFour } = await tokenOf('4000000000009995')
  expect({ brand, lastFour }).toEqual({ brand: 'visa', lastFour: '9995' })
  expect(token).toMatch(/^tok_[0-9a-f]{24}_insufficient_funds$/)
})

test('refuses a card number that fails the Luhn check (402) and an incomplete card (400)', async () => {
  const card = { cardNumber: '4242424242424241', cvv: '123', expirationMonth: '05', expirationYear: '33' }
  expect(await post('/tokens', card)).toEqual({
    status: 402,
    body: { code: 'card_declined', declineCode: 'invalid_number' },
  })
  expect(await post('/tokens', { cardNumber: 4242 })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', fields: ['cardNumber', 'cvv', 'expirationMonth', 'expirationYear'] },
  })
})

test.each([
  ['4000000000000002', 'card_declined', 'generic_decline'],
  ['4000000000009995', 'card_declined', 'insufficient_funds'],
  ['4000000000000069', 'expired_card', 'expired_card'],
  ['4000000000000127', 'incorrect_cvc', 'incorrect_cvc'],
  ['4000000000000119', 'card_declined', 'processing_error'],
])('402 for the test card %s: %s, %s, with a line in the ledger', async (number, code, declineCode) => {
  expect(await authorize(number)).toEqual({ status: 402, body: { code, declineCode } })
  expect(lines()).toMatchObject([
    { kind: 'authorize', reference: 'o1', amount: 1075, outcome: `declined:${declineCode}` },
  ])
  expect(await findAuthorizations('o1')).toEqual([])
})

test.each(['4242424242424242', '5555555555554444', '378282246310005'])('approves %s', async (number) => {
  expect(await authorize(number)).toMatchObject({ status: 200, body: { status: 'authorized', amount: 1075 } })
})

test('the same key replays the response and writes one line, before and after a restart', async () => {
  const { token } = await tokenOf('4242424242424242')
  const send = () => post('/authorizations', { token, amount: 500, reference: 'o2' }, 'o2:authorize:1')
  const first = await send()
  expect(await send()).toEqual(first)
  await restart()
  expect(await send()).toEqual(first)
  expect(lines()).toHaveLength(1)
  expect(lines()[0]).toMatchObject({
    kind: 'authorize',
    idempotencyKey: 'o2:authorize:1',
    reference: 'o2',
    amount: 500,
    outcome: 'approved',
  })
})

test('a declined authorization is replayed after a restart', async () => {
  const { token } = await tokenOf('4000000000000002')
  const send = () => post('/authorizations', { token, amount: 500, reference: 'o2' }, 'k')
  const first = await send()
  await restart()
  expect(await send()).toEqual(first)
  expect(lines()).toHaveLength(1)
})

test('the same key with another body is 422 idempotency_mismatch, before and after a restart', async () => {
  await authorize('4242424242424242', 'k', 500)
  const mismatch = { status: 422, body: { code: 'idempotency_mismatch' } }
  expect(await authorize('4242424242424242', 'k', 501)).toEqual(mismatch)
  await restart()
  expect(await authorize('4242424242424242', 'k', 501)).toEqual(mismatch)
  expect(lines()).toHaveLength(1)
})

test('a hundred concurrent requests of a key have one effect; 409 while one is in progress', async () => {
  const { token } = await tokenOf('4242424242424242')
  const send = () => post('/authorizations', { token, amount: 500, reference: 'o3' }, 'k')
  const responses = await Promise.all(Array.from({ length: 100 }, send))
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 409]))
  const refused = responses.find(({ status }) => status === 409)
  expect(refused?.body).toEqual({ code: 'idempotency_in_progress' })
  expect(lines()).toHaveLength(1)
})

test('the state of an authorization survives a restart', async () => {
  const { body } = await authorize('4242424242424242')
  await post(`/authorizations/${body['id']}/capture`, { amount: 1075 }, 'c')
  await restart()
  expect(await findAuthorizations('o1')).toEqual([
    { id: body['id'], reference: 'o1', amount: 1075, status: 'captured' },
  ])
  expect(await post(`/authorizations/${body['id']}/refund`, { amount: 1075 }, 'r')).toMatchObject({
    status: 200,
    body: { status: 'refunded', amount: 1075 },
  })
  await restart()
  expect(await findAuthorizations('o1')).toMatchObject([{ status: 'refunded' }])
  expect(lines().map(({ kind }) => kind)).toEqual(['authorize', 'capture', 'refund'])
})

test('impossible requests are 409 with the reason, and write no line', async () => {
  const voided = (await authorize('4242424242424242', 'a')).body['id']
  await post(`/authorizations/${voided}/void`, {}, 'v')
  const captured = (await authorize('4242424242424242', 'b')).body['id']
  const refusals = [
    [`${captured}/refund`, 1075, 'not_captured'],
    [`${captured}/capture`, 1076, 'amount_too_large'],
    [`${voided}/capture`, 1075, 'already_voided'],
    [`${voided}/void`, 0, 'already_voided'],
    [`${voided}/refund`, 1075, 'already_voided'],
  ] as const
  for (const [path, amount, code] of refusals) {
    expect(await post(`/authorizations/${path}`, { amount }, `${path}:x`)).toEqual({
      status: 409,
      body: { code },
    })
  }
  await post(`/authorizations/${captured}/capture`, { amount: 1075 }, 'c')
  expect((await post(`/authorizations/${captured}/void`, {}, 'v2')).body).toEqual({
    code: 'already_captured',
  })
  expect((await post(`/authorizations/${captured}/capture`, { amount: 1 }, 'c2')).body).toEqual({
    code: 'already_captured',
  })
  expect(lines().map(({ kind }) => kind)).toEqual(['authorize', 'void', 'authorize', 'capture'])
})

test('invalid requests are 400 or 404, and write no line', async () => {
  expect((await post('/authorizations', { token: 't', amount: 1, reference: 'o' })).body).toEqual({
    code: 'idempotency_key_missing',
  })
  expect(await post('/authorizations', { token: 'tok_x', amount: 1, reference: 'o' }, 'k')).toEqual({
    status: 400,
    body: { code: 'no_such_token' },
  })
  expect((await post('/authorizations', { amount: 1.5 }, 'k')).body).toEqual({
    code: 'invalid_request',
    fields: ['token', 'amount', 'reference'],
  })
  expect(await post('/authorizations/nothing/void', {}, 'k')).toEqual({
    status: 404,
    body: { code: 'no_such_authorization' },
  })
  expect(lines()).toEqual([])
})

test('an incomplete last line of the ledger is ignored; an invalid line within it prevents the start', async () => {
  await authorize('4242424242424242')
  appendFileSync(LEDGER_FILE, '{"at":"20')
  await restart()
  await authorize('4242424242424242', 'k2')
  expect(lines()).toHaveLength(2)
  appendFileSync(LEDGER_FILE, 'nonsense\n')
  expect(start).toThrow(`${LEDGER_FILE}:3 is not a line of this file`)
})

test('a detached card is refused after a restart, and its earlier authorization is replayed', async () => {
  const { token } = await tokenOf('4242424242424242')
  const authorizeAs = (key: string) => post('/authorizations', { token, amount: 500, reference: 'o3' }, key)
  const first = await authorizeAs('k1')
  expect(await post('/tokens/detach', { token })).toEqual({ status: 200, body: { detached: true } })
  await restart()
  expect(await post('/tokens/detach', { token })).toMatchObject({ status: 200 })
  expect(await authorizeAs('k1')).toEqual(first)
  expect(await authorizeAs('k2')).toEqual({ status: 400, body: { code: 'no_such_token' } })
  expect(lines(), 'the ledger has effects on money only').toHaveLength(1)
})
