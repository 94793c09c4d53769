import { describe, expect, test } from 'vitest'
import { BROKEN_TEXTS, detailsOf, each, faultsOf, keyed, unchangedUser, type Options } from './accounts.ts'
import {
  card,
  cardNumbers,
  get,
  post,
  register,
  type CreditCard,
  type ProblemBody,
  type User,
} from './client.ts'

const add = (userApiKey: string, body: unknown, options: Options = {}) =>
  post<CreditCard & ProblemBody>(`user/${userApiKey}/add-card`, body, options)

const cardsOf = async ({ apiKey }: User) => (await get<User>(`user/${apiKey}`)).body.creditCards

test('200: the card with the last four digits of its number only, and without its cvv', async () => {
  const user = await register()
  const { status, body } = await add(user.apiKey, { ...card(), nickname: ' the blue one ' })
  const { cvv: _, cardNumber: __, ...shown } = card()
  expect({ status, body }).toEqual({
    status: 200,
    body: { ...shown, apiKey: body.apiKey, nickname: 'the blue one', lastFour: '4242', brand: 'visa' },
  })
  expect(body.apiKey).toMatch(/^[0-9a-f]{48}$/)
  expect(await cardsOf(user)).toEqual([body])
})

test.each([
  ['mastercard', '5555555555554444'],
  ['amex', '378282246310005'],
  ['discover', '6011111111111117'],
])('200: the brand %s is derived from the card number', async (brand, cardNumber) => {
  const { body } = await add((await register()).apiKey, card(cardNumber))
  expect(body).toMatchObject({ brand, lastFour: cardNumber.slice(-4) })
})

test('402 card-expired points to expirationMonth and expirationYear, and no card is saved', async () => {
  const user = await unchangedUser()
  const response = await add(user.apiKey, { ...card(), expirationMonth: '01', expirationYear: '20' })
  expect(response).toMatchObject({ status: 402, body: { code: 'card-expired' } })
  expect(faultsOf(response)).toEqual({
    '/expirationMonth': 'card-expired',
    '/expirationYear': 'card-expired',
  })
  expect(await cardsOf(user)).toEqual([])
})

describe('400', () => {
  test('missing-field for every missing field, in one response', async () => {
    const response = await add((await unchangedUser()).apiKey, {})
    expect(response.status).toBe(400)
    expect(faultsOf(response)).toEqual(each(Object.keys(card()), () => 'missing-field'))
  })

  test.each([
    ['/cardNumber', { cardNumber: '4242_4242_4242_4242' }],
    ['/cardNumber', { cardNumber: '4242424242424241' }],
    ['/cardNumber', { cardNumber: '42424242424' }],
    ['/cardNumber', { cardNumber: 4_242_424_242_424_241 }],
    ['/cvv', { cvv: '12' }],
    ['/cvv', { cvv: '12345' }],
    ['/cvv', { cvv: '٣١٤' }],
    ['/expirationMonth', { expirationMonth: '13' }],
    ['/expirationMonth', { expirationMonth: 'September' }],
    ['/expirationYear', { expirationYear: '1931' }],
    ['/cardholderName', { cardholderName: ' ' }],
    ['/cardholderName', { cardholderName: 'M'.repeat(101) }],
    ['/nickname', { nickname: 'n'.repeat(101) }],
  ])('invalid-field at %s for %j, without the sent card number', async (pointer, changes) => {
    const sent = { ...card(), ...changes }
    const response = await add((await unchangedUser()).apiKey, sent)
    expect(response.status).toBe(400)
    expect(faultsOf(response)).toEqual({ [pointer]: 'invalid-field' })
    expect(JSON.stringify(response.body)).not.toContain(String(sent.cardNumber))
  })

  test.each(BROKEN_TEXTS)('%s is refused with one error for each text field', async (_, text, message) => {
    const texts = { cardholderName: text, cardholderStreetAddress: text, cardholderZip: text, nickname: text }
    const response = await add((await unchangedUser()).apiKey, { ...card(), ...texts })
    expect(response.status).toBe(400)
    expect(detailsOf(response)).toEqual(each(Object.keys(texts), (field) => `${field} ${message}.`))
  })
})

test('add-card ignores unknown fields, and accepts null for no nickname', async () => {
  const { status, body } = await add((await register()).apiKey, { ...card(), nickname: null, apiKey: 'mine' })
  expect(status).toBe(200)
  expect(body.nickname).toBeNull()
  expect(body.apiKey).not.toBe('mine')
})

describe('Idempotency-Key', () => {
  test('422 idempotency-mismatch for another card', async () => {
    const user = await register()
    const key = keyed()
    await add(user.apiKey, card(), key)
    for (const other of [card(cardNumbers.declined), { ...card(), expirationYear: '32' }]) {
      const response = await add(user.apiKey, other, key)
      expect(response).toMatchObject({ status: 422, body: { code: 'idempotency-mismatch' } })
    }
    expect(await cardsOf(user)).toHaveLength(1)
  })
})
