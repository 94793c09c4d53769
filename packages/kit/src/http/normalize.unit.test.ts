import {
  AddAddress,
  AddCard,
  CancelOrder,
  RegisterUser,
  RestaurantMenu,
  RestaurantSearch,
  SendOrder,
} from '@platter/contracts'
import type { Fault, NewCard, Operation } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { requestParser } from '#/http/request-parser.ts'

const parserOf = new Map<Operation, ReturnType<typeof requestParser>>()

function parsed(operation: Operation, request: { query?: unknown; body?: unknown }) {
  const parse = parserOf.get(operation) ?? requestParser(operation)
  parserOf.set(operation, parse)
  return parse(structuredClone({ params: { apiKey: 'a' }, query: {}, ...request }))
}
const faultsOf = (operation: Operation, body: unknown): readonly Fault[] =>
  parsed(operation, { body }).problem?.faults ?? []
const pointersOf = (operation: Operation, body: unknown) =>
  faultsOf(operation, body).map(({ pointer }) => pointer)

const order = {
  restaurantApiKey: '9511054',
  items: [{ apiKey: 'pie', customizationChoices: [{ apiKey: 'large' }] }],
  method: 'delivery',
  payment: 'card',
  test: true,
  tip: 3,
  card: { apiKey: 'visa' },
  address: { apiKey: 'home' },
  recipient: { apiKey: 'maria' },
}
const card = {
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  cvv: '314',
  cardNumber: '4242424242424242',
  expirationMonth: '09',
  expirationYear: '33',
}

describe('equivalent spellings of an order', () => {
  const expected = parsed(SendOrder, { body: order }).values.body
  test.each<[string, object]>([
    ['an apiKey as a number', { restaurantApiKey: 9511054 }],
    ['enum values in any case', { method: 'Delivery', payment: 'CARD ' }],
    ['True for true', { test: 'True' }],
    ['TRUE for true', { test: 'TRUE' }],
    ['1 as text for true', { test: '1' }],
    ['1 as a number for true', { test: 1 }],
    ['yes for true', { test: 'yes' }],
    ['a number as text', { tip: ' 3.00 ' }],
    ['null for an optional field', { comments: null, tip: '3' }],
    ['a blank optional field', { comments: '', tip: '3' }],
    ['a card by its apiKey alone', { card: 'visa' }],
    ['an address by its apiKey alone', { address: 'home' }],
    ['a recipient by its apiKey alone', { recipient: 'maria' }],
  ])('accepts %s', (_, change) => {
    expect(parsed(SendOrder, { body: { ...order, ...change } })).toMatchObject({
      problem: null,
      values: { body: expected },
    })
  })

  test('accepts member names in any case, at every level', () => {
    const body = {
      restaurantAPIKey: '9511054',
      Items: [{ APIKey: 'pie', CustomizationChoices: [{ APIKEY: 'large' }] }],
      METHOD: 'delivery',
      Payment: 'card',
      TEST: true,
      Tip: 3,
      Card: { APIKey: 'visa' },
      Address: { ApiKey: 'home' },
      Recipient: { apikey: 'maria' },
    }
    expect(parsed(SendOrder, { body })).toMatchObject({
      problem: null,
      values: { body: expected },
      unknownFields: [],
    })
  })

  test('accepts False, 0, no and NO for false', () => {
    for (const no of ['False', '0', 0, 'no', 'NO'])
      expect(parsed(SendOrder, { body: { ...order, test: no } }).values.body).toMatchObject({ test: false })
  })
})

test('accepts names without hyphens, with underscores, and in camel case', () => {
  expect(parsed(CancelOrder, { query: { validateOnly: 'true' } })).toMatchObject({
    problem: null,
    values: { query: { 'validate-only': true } },
    unknownFields: [],
  })
  const query = { streetAddress: 'Madison, WI', pickup_radius: '3' }
  expect(parsed(RestaurantSearch, { query }).values.query).toMatchObject({
    'street-address': 'Madison, WI',
    'pickup-radius': 3,
  })
  const { restaurantApiKey: restaurant_api_key, ...others } = order
  expect(parsed(SendOrder, { body: { ...others, restaurant_api_key } })).toMatchObject({
    problem: null,
    values: { body: { restaurantApiKey: '9511054' } },
  })
})

test('a blank parameter does not replace the value of another spelling, which would make a preview take effect', () => {
  for (const blank of ['validate-only', 'validate_only'])
    expect(parsed(CancelOrder, { query: { validateOnly: 'true', [blank]: '' } }).values.query).toEqual({
      'validate-only': true,
    })
})

test('a member with the exact name takes precedence over a member in another case', () => {
  const body = { ...order, Tip: 9, tip: '3' }
  expect(parsed(SendOrder, { body })).toMatchObject({
    values: { body: { tip: 3 } },
    unknownFields: [{ name: 'Tip' }],
  })
})

test('a valid body is not normalized: a member in another case is ignored and reported', () => {
  const { tip: _, ...others } = order
  expect(parsed(SendOrder, { body: { ...others, Tip: 9 } })).toMatchObject({
    values: { body: { tip: 0 } },
    unknownFields: [{ name: 'Tip', meant: { name: 'tip' } }],
  })
})

function cardOf(change: object) {
  const { problem, values } = parsed(AddCard, { body: { ...card, ...change } })
  expect(problem).toBeNull()
  const { cvv, cardNumber, ...shown } = values.body as NewCard
  return { ...shown, cvv: cvv?.reveal(), cardNumber: cardNumber?.reveal() }
}

describe('cards', () => {
  test.each<[string, object]>([
    ['a month without its zero', { expirationMonth: '9' }],
    ['a month as a number', { expirationMonth: 9 }],
    ['a year as a number', { expirationYear: 33 }],
    ['a year of four digits', { expirationYear: '2033' }],
    ['a year of four digits as a number', { expirationYear: 2033 }],
    ['spaces in the number', { cardNumber: ' 4242 4242 4242 4242 ' }],
    ['dashes in the number', { cardNumber: '4242-4242-4242-4242' }],
    ['a no-break space and a non-breaking hyphen', { cardNumber: '4242\u00A042424242\u20114242' }],
    ['the number as a number', { cardNumber: 4242424242424242 }],
    ['the cvv and the ZIP code as numbers', { cvv: 314, cardholderZip: 53703 }],
  ])('normalizes %s', (_, change) => {
    expect(cardOf(change)).toEqual(card)
  })

  test.each<[string, object, string]>([
    ['the month 0', { expirationMonth: 0 }, '/expirationMonth'],
    ['the month 13', { expirationMonth: 13 }, '/expirationMonth'],
    ['a month with a fraction', { expirationMonth: 9.5 }, '/expirationMonth'],
    ['a year of three digits', { expirationYear: 203 }, '/expirationYear'],
    ['a card number above the safe integers', { cardNumber: 2 ** 62 }, '/cardNumber'],
    ['letters in the number', { cardNumber: '4242 4242 4242 424x' }, '/cardNumber'],
    ['a cvv of two digits', { cvv: '12' }, '/cvv'],
    ['a cvv of five digits as a number', { cvv: 12345 }, '/cvv'],
  ])('%s is a fault', (_, change, pointer) => {
    expect(pointersOf(AddCard, { ...card, ...change })).toEqual([pointer])
  })
})

test('restores the zeros that a cvv or a ZIP code has lost as a number, and leaves texts unchanged', () => {
  expect(cardOf({ cvv: 7, cardholderZip: 2134 })).toMatchObject({ cvv: '007', cardholderZip: '02134' })
  expect(cardOf({ cvv: 1234, cardholderZip: '2134' })).toMatchObject({ cvv: '1234', cardholderZip: '2134' })
  const address = { streetAddress: '1 Main St', city: 'Boston', state: 'MA' }
  expect(parsed(AddAddress, { body: { ...address, zip: 2134 } }).values.body).toMatchObject({ zip: '02134' })
})

test('ZIP codes, telephone numbers and apartments may be numbers; names may not', () => {
  const address = { streetAddress: '1 Main St', city: 'Madison', state: 'WI', zip: 53703, aptNumber: 4 }
  expect(parsed(AddAddress, { body: address }).values.body).toMatchObject({ zip: '53703', aptNumber: '4' })
  const user = { email: 'm@example.org', password: 'a long enough password', firstName: 1, lastName: 'L' }
  expect(pointersOf(RegisterUser, { ...user, phone: 6085550142 })).toContain('/firstName')
  const known = { ...user, firstName: 'Maria', phone: 6085550142 }
  expect(parsed(RegisterUser, { body: known }).values.body).toMatchObject({ phone: '6085550142' })
})

test.each(['-0.12775829999998223', '5.1000000000000005'])(
  'accepts the longitude %s, a double as languages print it',
  (longitude) => {
    const { values, problem } = parsed(RestaurantSearch, { query: { latitude: '51.5', longitude } })
    expect(problem).toBeNull()
    expect(values.query).toMatchObject({ longitude: Number(longitude) })
  },
)

test('the faults refer to the body as it was sent', () => {
  const { items: _, restaurantApiKey, ...others } = order
  const body = { ...others, RestaurantApiKey: restaurantApiKey, method: 'fly', tip: '3' }
  expect(faultsOf(SendOrder, body).map(({ pointer, code }) => [pointer, code])).toEqual([
    ['/items', 'missing-field'],
    ['/method', 'invalid-field'],
    ['/restaurantApiKey', 'missing-field'],
    ['/tip', 'invalid-field'],
  ])
})

test('the sentence for a person names the mistake, not a spelling that is accepted', () => {
  const sent = { ...card, cardholderZip: 53703, cvv: 314, expirationMonth: 9, expirationYear: 2033 }
  const problem = parsed(AddCard, { body: { ...sent, cardNumber: '4242424242424241' } }).problem
  expect(problem?.message).toBe('cardNumber is not a card number.')
  expect(problem?.faults).toHaveLength(5)
})

test.each<[object, string]>([
  [{ cardNumber: 4242424242424241 }, 'cardNumber is not a card number.'],
  [{ expirationMonth: 13 }, 'expirationMonth is not a month of two digits.'],
  [{ cvv: 12345 }, 'cvv is not 3 or 4 digits.'],
])('the sentence for a person names the mistake of a number, not its type: %j', (change, sentence) => {
  expect(parsed(AddCard, { body: { ...card, ...change } }).problem?.message).toBe(sentence)
})

test('a member in another spelling with an invalid value is missing, and the hint names what was sent', () => {
  const { method: _, ...others } = order
  expect(faultsOf(SendOrder, { ...others, Method: 'fly' })).toEqual([
    {
      pointer: '/method',
      code: 'missing-field',
      detail: 'method is missing. The unknown field Method may be meant for it.',
    },
  ])
})

test('converts numbers, booleans and null in a query, and accepts enum values in any case', () => {
  const search = {
    latitude: '43.07',
    longitude: ' -89.38 ',
    method: 'Pickup',
    'pickup-radius': '3',
    limit: '2',
  }
  expect(parsed(RestaurantSearch, { query: search }).values.query).toMatchObject({
    latitude: 43.07,
    longitude: -89.38,
    method: 'pickup',
    'pickup-radius': 3,
    limit: 2,
  })
  const nothing = {
    latitude: 'null',
    longitude: '',
    'street-address': 'null',
    method: 'null',
    cursor: 'null',
  }
  const { values, problem } = parsed(RestaurantSearch, { query: nothing })
  expect(problem).toBeNull()
  expect(values.query).toEqual({ method: 'both', 'pickup-radius': 5, search: [], limit: 100 })
  for (const includeCustomizations of ['True', 'TRUE', '1', 'yes'])
    expect(parsed(RestaurantMenu, { query: { includeCustomizations } }).values.query).toEqual({
      includeCustomizations: true,
    })
})

test('refuses values of the wrong type without converting them', () => {
  for (const [field, value] of Object.entries({
    items: 'pie',
    method: 3,
    test: 'maybe',
    tip: 'three',
    card: ['visa'],
    recipient: 7.5,
  }))
    expect(pointersOf(SendOrder, { ...order, [field]: value })[0]).toBe(`/${field}`)
  expect(pointersOf(SendOrder, { ...order, items: ['pie'] })).toEqual(['/items/0'])
})

test('ignores unknown fields with the names of Object.prototype', () => {
  const body = JSON.parse('{"constructor": 1, "toString": 2, "hasOwnProperty": 3}') as object
  expect(pointersOf(SendOrder, { ...order, ...body, tip: 'x' })).toEqual(['/tip'])
})

test('every documented body of SendOrder, AddCard, AddAddress and RegisterUser has no faults', () => {
  for (const operation of [SendOrder, AddCard, AddAddress, RegisterUser])
    for (const body of Object.values<unknown>(operation.examples.bodies))
      expect(faultsOf(operation, body)).toEqual([])
})
