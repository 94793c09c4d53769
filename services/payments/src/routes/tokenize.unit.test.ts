import { Tokenize } from '@platter/contracts'
import {
  createApp,
  principalSigner,
  PRINCIPAL_HEADER,
  Problem,
  readJson,
  router,
  type Log,
} from '@platter/kit'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Processor } from '#/outside/processor.ts'
import type { CardLimits } from '#/store/card-limits.ts'
import { tokenize } from '#/routes/tokenize.ts'

const SECRET = 's'.repeat(32)
const by = { userApiKey: null, address: null, applicationId: null }
const card = {
  by,
  cardholderName: 'Ada',
  cardholderStreetAddress: '1 Main St',
  cardholderZip: '53703',
  cvv: '987',
  cardNumber: '4242424242424242',
  expirationMonth: '05',
  expirationYear: '33',
}

const ATTEMPT = { card: '0a1b2c', address: null, application: null }

type Options = { admit: CardLimits['admit']; acceptsRawCards: boolean }

/** Calls the route as another service; returns the response and everything that was logged. */
async function send(
  result: Awaited<ReturnType<Processor['tokenize']>>,
  payload: object = card,
  { admit = async () => ATTEMPT, acceptsRawCards = true }: Partial<Options> = {},
) {
  let logged = ''
  const sink = { write: (line: string) => void (logged += line) }
  const log: Log = pino({ level: 'trace' }, sink)
  const seen: unknown[] = []
  const app = createApp(log)
  readJson(app)
  const processor = { tokenize: async (given: object) => (seen.push(given), result) }
  const counted: unknown[] = []
  const limits: CardLimits = {
    isShared: async () => true,
    admit,
    linkToken: async (...linked) => void counted.push(['linked', ...linked]),
    countDecline: async (...declined) => void counted.push(['declined', ...declined]),
    countDeclineOfToken: async () => undefined,
    close: () => undefined,
  }
  router(app, [SECRET])(Tokenize, tokenize({ processor, limits, acceptsRawCards }))
  const headers = {
    [PRINCIPAL_HEADER]: await principalSigner([SECRET])({ kind: 'service', service: 'accounts' }, 'payments'),
  }
  const { statusCode, body } = await app.inject({ method: 'POST', url: Tokenize.path, headers, payload })
  await app.close()
  return { status: statusCode, body: JSON.parse(body) as Record<string, unknown>, seen, counted, logged }
}

test('200: returns the token of the processor, and logs neither the card nor the token', async () => {
  const made = { token: 'tok_1', brand: 'visa', lastFour: '4242' }
  const { status, body, seen, logged } = await send({ kind: 'yes', ...made })
  expect({ status, body }).toEqual({ status: 200, body: made })
  const { cardNumber, cvv, expirationMonth, expirationYear } = card
  expect(seen).toEqual([{ cardNumber, cvv, expirationMonth, expirationYear }])
  expect(logged).not.toMatch(/4242424242424242|"987"|tok_1/)
})

test('402 card-declined with the declineCode of the processor', async () => {
  const { status, body } = await send({ kind: 'no', code: 'card_declined', declineCode: 'invalid_number' })
  expect(status).toBe(402)
  expect(body).toMatchObject({ code: 'card-declined', declineCode: 'invalid_number' })
})

test('422 payment-not-possible, not retryable, when the processor refuses the request permanently', async () => {
  const { status, body } = await send({ kind: 'no', code: 'invalid_request', declineCode: 'invalid_request' })
  expect({ status, code: body['code'], retryable: body['retryable'] }).toEqual({
    status: 422,
    code: 'payment-not-possible',
    retryable: false,
  })
})

test('503 payment-unavailable when the processor is unavailable or its response is lost', async () => {
  const { status, body, logged } = await send({ kind: 'unknown', reason: 'ECONNREFUSED' })
  expect({ status, code: body['code'], retryable: body['retryable'] }).toEqual({
    status: 503,
    code: 'payment-unavailable',
    retryable: true,
  })
  expect(logged).not.toMatch(/4242424242424242|"987"/)
  expect(logged.match(/ECONNREFUSED/g)).toHaveLength(1)
})

test('400 names the invalid field, and neither response nor log contains its value', async () => {
  const { status, body, logged } = await send(
    { kind: 'unknown', reason: '' },
    { ...card, cardNumber: '4242424242424241' },
  )
  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'invalid-field', errors: [{ pointer: '/cardNumber' }] })
  expect(JSON.stringify(body) + logged).not.toContain('4242424242424241')
})

test('429 rate-limited for a card above its limits, which is not sent to the processor', async () => {
  const { status, body, seen } = await send(
    { kind: 'yes', token: 't', brand: 'visa', lastFour: '4242' },
    card,
    {
      admit: () => {
        throw new Problem('rate-limited', 'Too many.', { retryAfterSeconds: 60 })
      },
    },
  )
  expect({ status, code: body['code'] }).toEqual({ status: 429, code: 'rate-limited' })
  expect(seen).toEqual([])
})

const counts = async (result: Awaited<ReturnType<Processor['tokenize']>>) => (await send(result)).counted

test('counts a declined card, not a failure of the request, and links the token of an accepted card', async () => {
  expect(await counts({ kind: 'no', code: 'incorrect_cvc', declineCode: 'incorrect_cvc' })).toEqual([
    ['declined', ATTEMPT],
  ])
  expect(await counts({ kind: 'no', code: 'api_key_expired', declineCode: 'api_key_expired' })).toEqual([])
  expect(await counts({ kind: 'unknown', reason: '' })).toEqual([])
  expect(await counts({ kind: 'yes', token: 'tok_1', brand: 'visa', lastFour: '4242' })).toEqual([
    ['linked', 'tok_1', ATTEMPT],
  ])
})

const tokenCard = {
  by,
  cardholderName: 'Ada',
  cardholderStreetAddress: '1 Main St',
  cardholderZip: '53703',
  processorToken: 'tok_of_the_client',
}

test('200: exchanges a token of the client, and returns the expiry that the processor has', async () => {
  const made = {
    token: 'tok_1',
    brand: 'visa',
    lastFour: '4242',
    expirationMonth: '05',
    expirationYear: '39',
  }
  const { status, body, seen, logged } = await send({ kind: 'yes', ...made }, tokenCard)
  expect({ status, body }).toEqual({ status: 200, body: made })
  expect(seen).toEqual([{ processorToken: 'tok_of_the_client' }])
  expect(logged).not.toContain('tok_of_the_client')
})

test('400 names the fields of a number beside a token, and the missing fields without either', async () => {
  const both = await send({ kind: 'unknown', reason: '' }, { ...card, processorToken: 'tok_1' })
  expect(both.body).toMatchObject({
    status: 400,
    errors: [{ pointer: '/cardNumber' }, { pointer: '/cvv' }],
  })
  const { processorToken: _, ...neither } = tokenCard
  const { status, body } = await send({ kind: 'unknown', reason: '' }, neither)
  expect(status).toBe(400)
  expect(
    (body['errors'] as { pointer: string; code: string }[]).map(({ pointer }) => pointer).toSorted(),
  ).toEqual(['/cardNumber', '/cvv', '/expirationMonth', '/expirationYear'])
})

test('422 raw-card-not-accepted with RAW_CARDS=refuse for a number, which is not sent to the processor', async () => {
  const made = { kind: 'yes', token: 'tok_1', brand: 'visa', lastFour: '4242' } as const
  const refused = await send(made, card, { acceptsRawCards: false })
  expect(refused.body).toMatchObject({ status: 422, code: 'raw-card-not-accepted' })
  expect([refused.seen, refused.counted]).toEqual([[], []])
  expect((await send(made, tokenCard, { acceptsRawCards: false })).status).toBe(200)
})
