import type { Bus } from '@platter/bus'
import {
  AccountsResolve,
  CatalogCompleteAddress,
  CatalogQuote,
  cents,
  OrderRequest,
  requestTimes,
  type Fault,
} from '@platter/contracts'
import { Deadline, Problem, problemDocument } from '@platter/kit'
import { beforeEach, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { checkOrder } from '#/placing/check-order.ts'
import { withExchangedCard } from '#/placing/placement.ts'

const NOW = Date.UTC(2026, 5, 15)
const CARD_NUMBER = '4242424242424242'
const CVV = '314'
const fault = (code: Fault['code'], pointer: string): Fault => ({ code, pointer, detail: 'because' })

type Question = { name: string; data: Record<string, unknown>; timeoutMs: number }
type Replies = {
  accounts: z.input<typeof AccountsResolve.reply>
  catalog: z.input<typeof CatalogQuote.reply>
  geocoder: z.input<typeof CatalogCompleteAddress.reply>
}

const savedCard = {
  apiKey: 'c1',
  nickname: null,
  cardholderName: 'M. Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  lastFour: '4242',
  expirationMonth: '09',
  expirationYear: '31',
  brand: 'visa',
  token: 'tok_1',
} as const
const savedAddress = {
  apiKey: 'a1',
  streetAddress: '316 W Washington Ave',
  aptNumber: null,
  city: 'Madison',
  state: 'WI',
  zip: '53703',
  latitude: null,
  longitude: null,
}
const newCard = {
  cardholderName: 'M. Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  cvv: CVV,
  cardNumber: CARD_NUMBER,
  expirationMonth: '09',
  expirationYear: '31',
}
const quote = {
  items: [{ apiKey: 'i1', name: 'Slice', basePrice: 900, totalPrice: 1_000, customizationChoices: [] }],
  subtotal: 1_000,
  tax: 80,
  deliveryPrice: 300,
  point: null,
  customerCancelMinutes: 5,
}
const user = { firstName: 'Maria', lastName: 'Lindqvist', phone: '6085550142', email: null }

let replies: Replies
let questions: Question[]

beforeEach(() => {
  questions = []
  replies = {
    accounts: { faults: [], recipient: user, card: null, address: null, newCard: null, newAddress: null },
    catalog: { faults: [], quote },
    geocoder: { city: 'Madison', state: 'WI', zip: '53703', point: null, isUnavailable: false },
  }
})

/** Replies from `replies`, and records each question in `questions`. */
const bus: Pick<Bus, 'ask'> = {
  ask: async (question, data, { timeoutMs }) => {
    questions.push({ name: question.name, data: data as Record<string, unknown>, timeoutMs })
    const reply = {
      [AccountsResolve.name]: replies.accounts,
      [CatalogQuote.name]: replies.catalog,
      [CatalogCompleteAddress.name]: replies.geocoder,
    }[question.name]
    return question.reply.parse(reply)
  },
}

const questionNames = () => questions.map(({ name }) => name)
const catalogQuestion = () => questions.find(({ name }) => name === CatalogQuote.name)?.data

type Options = { mode?: 'live' | 'test'; deadlineMs?: number }

const callerOf = ({ mode = 'live', deadlineMs = 10_000 }: Options) => ({
  applicationId: 'app',
  mode,
  requestId: 'q',
  now: NOW,
  deadline: Deadline.in(deadlineMs),
})

function check(body: Record<string, unknown> = {}, options: Options = {}) {
  const request = OrderRequest.parse({
    restaurantApiKey: 'r1',
    items: [{ apiKey: 'i1' }],
    method: 'pickup',
    payment: 'cash',
    recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '6085550142' },
    ...body,
  })
  return checkOrder({ bus, cardMinimum: cents(50) }, request, callerOf(options))
}

/** The codes of the faults that refuse an order. */
async function faultsOf(checking: Promise<unknown>): Promise<string[]> {
  const error = await checking.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Problem)) throw new Error('the order was not refused', { cause: error })
  return error.faults.map(({ code }) => code)
}

const OF_USER = { recipient: { apiKey: 'u1' } }
const BY_SAVED_CARD = { ...OF_USER, payment: 'card', card: { apiKey: 'c1' } }
const TO_SAVED_ADDRESS = { ...OF_USER, method: 'delivery', address: { apiKey: 'a1' } }

test('the total is the sum of the catalog prices and the tip, and ignores totals of the client', async () => {
  const { order } = await check({ tip: 2.5, total: 0.01, subtotal: 0.01, tax: 0 })
  expect(order.total).toBe(1_000 + 80 + 300 + 250)
})

test('an incomplete new address is priced at the point that completes it, as a saved address is', async () => {
  const point = { latitude: 43.0712, longitude: -89.401 }
  replies.geocoder.point = point
  await check({ method: 'delivery', address: { streetAddress: '1 Main St', ...point } })
  expect(catalogQuestion()).toMatchObject({ address: { zip: '53703', ...point } })
})

test('a complete new address is located by its text, not by the point of the client', async () => {
  const address = { streetAddress: '1 Main St', city: 'Madison', state: 'WI', zip: '53703' }
  await check({ method: 'delivery', address: { ...address, latitude: 34.05, longitude: -118.24 } })
  expect(catalogQuestion()).toMatchObject({ address: { ...address, latitude: null, longitude: null } })
})

test('one problem has the faults of catalog, accounts, the card and the tip', async () => {
  replies.catalog = { faults: [fault('item-unavailable', '/items/0')], quote: null, subtotal: cents(1_000) }
  replies.accounts.faults = [fault('user-not-found', '/recipient/apiKey')]
  const card = { ...newCard, expirationYear: '26', expirationMonth: '05' }
  expect(await faultsOf(check({ ...OF_USER, payment: 'card', card, tip: 60 }))).toEqual([
    'item-unavailable',
    'user-not-found',
    'card-expired',
    'tip-out-of-range',
  ])
})

test('refuses an expired card (card-expired) with a pointer to a field of the request', async () => {
  const expiry = { expirationYear: '26', expirationMonth: '05' }
  replies.accounts.card = { ...savedCard, ...expiry }
  await expect(check(BY_SAVED_CARD)).rejects.toMatchObject({
    faults: [{ code: 'card-expired', pointer: '/card/apiKey' }],
  })
  await expect(check({ payment: 'card', card: { ...newCard, ...expiry } })).rejects.toMatchObject({
    faults: [{ code: 'card-expired', pointer: '/card/expirationYear' }],
  })
})

test('with a test key every order is a test order, also with "test": false', async () => {
  const { order } = await check({ test: false }, { mode: 'test' })
  expect([order.test, catalogQuestion()?.['test']]).toEqual([true, true])
})

test('refuses a live restaurant with test-key, or for "test": true with not-a-test-restaurant', async () => {
  replies.catalog = { faults: [fault('not-a-test-restaurant', '/test')], quote: null }
  expect(await faultsOf(check({}, { mode: 'test' }))).toEqual(['test-key'])
  expect(await faultsOf(check({ test: true }))).toEqual(['not-a-test-restaurant'])
})

test('a total below the minimum of the processor is refused by card, and accepted in cash', async () => {
  replies.catalog.quote = { ...quote, subtotal: 30, tax: 0, deliveryPrice: 0 }
  replies.accounts.card = savedCard
  expect(await faultsOf(check(BY_SAVED_CARD))).toEqual(['below-card-minimum'])
  expect((await check()).order.total).toBe(30)
})

test('neither a question nor the order contains the card number or the CVV', async () => {
  const checked = await check({ ...OF_USER, payment: 'card', card: newCard })
  const written = JSON.stringify({ questions, checked })
  expect(written).toContain('"lastFour":"4242"')
  expect(written).not.toContain(CARD_NUMBER)
  expect(written).not.toContain(`"${CVV}"`)
})

test('the order contains a saved card without its token, which is returned separately', async () => {
  replies.accounts.card = savedCard
  const { order, savedCard: found } = await check(BY_SAVED_CARD)
  expect(found?.token).toBe('tok_1')
  expect(JSON.stringify(order)).not.toContain('tok_1')
  expect(order.details.card).toMatchObject({ apiKey: 'c1', lastFour: '4242' })
})

test('the quote of a delivery to a saved address uses the address from accounts', async () => {
  replies.accounts.address = savedAddress
  await check(TO_SAVED_ADDRESS)
  expect(questionNames()).toEqual([AccountsResolve.name, CatalogQuote.name])
  expect(catalogQuestion()?.['address']).toEqual(savedAddress)
})

test('refuses a delivery to an unknown address, and ignores its quote without a delivery price', async () => {
  replies.accounts.faults = [fault('address-not-found', '/address/apiKey')]
  replies.catalog.quote = { ...quote, subtotal: 99_999_999, deliveryPrice: 0 }
  expect(await faultsOf(check(TO_SAVED_ADDRESS))).toEqual(['address-not-found'])
})

test('an order for which catalog returns neither a quote nor a fault is not placed', async () => {
  replies.catalog = { faults: [], quote: null }
  await expect(check()).rejects.toThrow('neither faults nor a result')
})

test('an order for which accounts returns neither a recipient nor a fault is not placed', async () => {
  replies.accounts.recipient = null
  await expect(check(OF_USER)).rejects.toThrow('neither faults nor a result')
})

test('accounts is queried with the application of the caller, and not for an order of a guest', async () => {
  await check()
  expect(questionNames()).toEqual([CatalogQuote.name])
  await check(OF_USER)
  expect(questions.find(({ name }) => name === AccountsResolve.name)?.data).toMatchObject({
    applicationId: 'app',
    recipientApiKey: 'u1',
  })
})

test('catalog quotes the items with their choices, and again after an authentication, with the point', async () => {
  replies.catalog = {
    faults: [],
    quote: { ...quote, point: { latitude: 43.07, longitude: -89.38 }, restaurantName: 'Aurora Slice House' },
  }
  const items = [
    { apiKey: 'i1', customizationChoices: [{ apiKey: 'ch1' }, { apiKey: 'ch2' }] },
    { apiKey: 'i2' },
  ]
  const { recheck, restaurantName } = await check({ ...WITH_NEW_RECORDS, payment: 'cash', card: null, items })
  const question = {
    restaurantApiKey: 'r1',
    method: 'delivery',
    payment: 'cash',
    test: false,
    items: [
      { apiKey: 'i1', customizationChoices: ['ch1', 'ch2'] },
      { apiKey: 'i2', customizationChoices: [] },
    ],
    address: { streetAddress: '316 W Washington Ave', zip: '53703', latitude: null },
  }
  expect(catalogQuestion()).toMatchObject(question)
  expect(recheck).toMatchObject({
    ...question,
    address: { ...question.address, latitude: 43.07, longitude: -89.38 },
  })
  expect(restaurantName).toBe('Aurora Slice House')
})

test('the names and the phone of the request override those of the user', async () => {
  const recipient = { apiKey: 'u1', firstName: 'Mia', phone: '6085550199' }
  const { order } = await check({ recipient })
  expect(order.details.recipient).toEqual({ ...user, firstName: 'Mia', phone: '6085550199' })
  expect((await check(OF_USER)).order.details.recipient).toEqual(user)
})

test('a saved card in the order of a guest is resolved, and its fault refuses the order', async () => {
  replies.accounts = {
    ...replies.accounts,
    recipient: null,
    faults: [fault('card-not-found', '/card/apiKey')],
  }
  expect(await faultsOf(check({ payment: 'card', card: { apiKey: 'c1' } }))).toEqual(['card-not-found'])
})

test('each question times out at the deadline of the request, and after 2 s at most', async () => {
  const address = { streetAddress: '316 W Washington Ave', zip: '53703' }
  const body = { ...OF_USER, method: 'delivery', address }
  await check(body, { deadlineMs: 1_000 })
  expect(questionNames()).toHaveLength(3)
  for (const { timeoutMs } of questions) expect(timeoutMs).toBeLessThanOrEqual(1_000)
  questions = []
  await check(body)
  for (const { timeoutMs } of questions) expect(timeoutMs).toBe(requestTimes.question)
})

const WITH_NEW_RECORDS = {
  payment: 'card',
  card: newCard,
  method: 'delivery',
  address: { streetAddress: '316 W Washington Ave', city: 'Madison', state: 'WI', zip: '53703' },
}

test('a new card and a new address are saved unless the account is full or has them already', async () => {
  const body = { ...OF_USER, ...WITH_NEW_RECORDS }
  for (const [saving, isSaved] of [
    [{ kind: 'room' }, true],
    [{ kind: 'full' }, false],
    [{ kind: 'saved', apiKey: 'c1' }, false],
  ] as const) {
    replies.accounts = { ...replies.accounts, newCard: saving, newAddress: saving }
    expect((await check(body)).saves).toEqual({ card: isSaved, address: isSaved })
  }
})

describe('the exchanged card of a processor token', () => {
  const { cardNumber: _, cvv: __, ...holder } = newCard
  const byToken = { payment: 'card', card: { ...holder, processorToken: 'tok_of_the_client' } }
  const exchanged = { ...savedCard, apiKey: 'fresh', expirationMonth: '12' }
  const withExchanged = async (body: Record<string, unknown>) =>
    withExchangedCard({ bus }, await check(body), exchanged, callerOf({}))

  test.each([
    ['is new: it is saved under its own apiKey', { kind: 'room' }, 'fresh', true],
    [
      'equals a saved one: the order has its apiKey, and none is saved',
      { kind: 'saved', apiKey: 'c1' },
      'c1',
      false,
    ],
    ['is one too many: none is saved', { kind: 'full' }, null, false],
  ] as const)('%s', async (_name, saving, apiKey, isSaved) => {
    replies.accounts.newCard = saving
    const { order, saves } = await withExchanged({ ...OF_USER, ...byToken })
    expect([order.details.card?.apiKey, saves.card]).toEqual([apiKey, isSaved])
    expect(questions.at(-1)?.data).toMatchObject({
      recipientApiKey: 'u1',
      newCard: { lastFour: '4242', expirationMonth: '12' },
    })
  })

  test('is not saved for a guest, and is in the order without its token', async () => {
    const { order, saves } = await withExchanged(byToken)
    expect(order.details.card).toMatchObject({ apiKey: null, lastFour: '4242' })
    expect([saves.card, JSON.stringify(order).includes('tok_')]).toEqual([false, false])
    expect(questionNames()).toEqual([CatalogQuote.name])
  })
})

test('an address with city, state and ZIP code needs no geocoder', async () => {
  await check(WITH_NEW_RECORDS)
  expect(questionNames()).toEqual([CatalogQuote.name])
  for (const missing of ['city', 'state', 'zip']) {
    questions = []
    const address = { ...WITH_NEW_RECORDS.address, [missing]: undefined }
    const { order } = await check({ ...WITH_NEW_RECORDS, address })
    expect(questionNames()).toEqual([CatalogCompleteAddress.name, CatalogQuote.name])
    expect(order.details.address).toMatchObject({ city: 'Madison', state: 'WI', zip: '53703' })
  }
})

test('an order of a guest saves nothing', async () => {
  expect((await check(WITH_NEW_RECORDS)).saves).toEqual({ card: false, address: false })
})

test('refuses a wrong expectedTotal (409 price-changed) and returns the total with 2 decimals', async () => {
  expect((await check({ expectedTotal: 13.8 })).order.total).toBe(1_380)
  const refused = await check({ expectedTotal: 13.79 }).catch((error: unknown) => error)
  if (!(refused instanceof Problem)) throw new Error('the order was not refused', { cause: refused })
  expect([refused.code, refused.status]).toEqual(['price-changed', 409])
  expect(JSON.stringify(problemDocument(refused, 'q', '/publicapi/v1/send-order'))).toContain('"total":13.80')
})

test('an order with other faults is not compared with the expected total', async () => {
  replies.catalog = { faults: [fault('item-unavailable', '/items/0')], quote: null, subtotal: cents(1_000) }
  expect(await faultsOf(check({ expectedTotal: 1 }))).toEqual(['item-unavailable'])
})
