import {
  AddCard,
  BalanceTransactions,
  FindOrders,
  ItemAvailability,
  operations,
  PauseRestaurant,
  PutMenu,
  PutRestaurantLink,
  RefundOrder,
  RestaurantSearch,
  SendOrder,
  Signin,
  Tokenize,
  type Operation,
} from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { requestParser } from '#/http/request-parser.ts'

type Parts = { params?: unknown; query?: unknown; body?: unknown }

const parsers = new Map<Operation, ReturnType<typeof requestParser>>()

/** The values of a request as JSON, or its faults. */
function outcome(operation: Operation, request: Parts): unknown {
  const parse = parsers.get(operation) ?? requestParser(operation)
  parsers.set(operation, parse)
  const { values, problem } = parse(structuredClone({ query: {}, ...request }))
  return problem?.faults ?? JSON.stringify(values)
}

type Path = (string | number)[]

/** Returns the paths of all members of objects in a value. */
function membersIn(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => membersIn(one, [...path, index]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    [...path, name],
    ...membersIn(inner, [...path, name]),
  ])
}

/** Returns a copy with another value at the path. The value undefined deletes the member. */
function changed(whole: unknown, path: Path, value: unknown): unknown {
  const copy: unknown = structuredClone(whole)
  const object = path
    .slice(0, -1)
    .reduce((inner, step) => (inner as Record<string | number, unknown>)[step], copy)
  if (value === undefined) delete (object as Record<string, unknown>)[path.at(-1) as string]
  else (object as Record<string, unknown>)[path.at(-1) as string] = value
  return copy
}

const examples = operations.flatMap((operation): [string, Operation, Parts][] => {
  const params = Object.fromEntries(
    [...operation.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, 'a']),
  )
  const names = operation.query instanceof z.ZodObject ? Object.keys(operation.query.shape) : []
  const query: unknown = {
    ...Object.fromEntries(names.map((name) => [name, ''])),
    ...operation.examples.query,
  }
  const bodies = Object.entries(operation.examples.bodies ?? { 'no body': undefined })
  return bodies.map(([name, body]) => [`${operation.name}: ${name}`, operation, { params, query, body }])
})

describe('null and blank members of documented requests', () => {
  test.each(examples)('mean the same as absent members in %s', (_, operation, { params, query, body }) => {
    for (const nothing of [null, '']) {
      for (const path of membersIn(body))
        expect([path, outcome(operation, { params, query, body: changed(body, path, nothing) })]).toEqual([
          path,
          outcome(operation, { params, query, body: changed(body, path, undefined) }),
        ])
      for (const path of membersIn(query))
        expect([path, outcome(operation, { params, body, query: changed(query, path, nothing) })]).toEqual([
          path,
          outcome(operation, { params, body, query: changed(query, path, undefined) }),
        ])
    }
  })
})

test('a required field that is null or blank is a missing-field', () => {
  expect(outcome(Signin, { body: { email: null, password: '' } })).toMatchObject([
    { pointer: '/email', code: 'missing-field' },
    { pointer: '/password', code: 'missing-field' },
  ])
})

test.each([
  [
    ItemAvailability,
    { available: false, until: 1_795_237_200_000 },
    'until is a time in milliseconds; send seconds.',
  ],
  [
    PutRestaurantLink,
    { kind: 'webhook', url: 'kitchen.example.org/orders', secret: `whsec_${'A'.repeat(32)}` },
    'url is not a URL that begins with https:// or http://.',
  ],
])('$name names the fault of a time in milliseconds or a URL without a scheme', (operation, body, detail) => {
  expect(outcome(operation, { params: { apiKey: 'a' }, query: {}, body })).toMatchObject([{ detail }])
})

test('a password of white space is neither trimmed nor blank', () => {
  const { values } = requestParser(Signin)({ body: { email: 'maria@example.org', password: '   ' } })
  expect((values.body as { password: { reveal(): string } }).password.reveal()).toBe('   ')
})

test('a null element of a list is a fault at its position (invalid-field)', () => {
  const [body] = Object.values(SendOrder.examples.bodies)
  expect(outcome(SendOrder, { body: changed(body, ['items', 0], null) })).toMatchObject([
    { pointer: '/items/0', code: 'invalid-field' },
  ])
})

test('null stays null in a request between services', () => {
  const by = { userApiKey: null, applicationId: null, address: null }
  const [card] = Object.values(AddCard.examples.bodies)
  const { values } = requestParser(Tokenize)({ body: { ...card, by } })
  expect(values.body).toMatchObject({ by })
})

test.each([
  ['limit', ['1', '2']],
  ['method', ['pickup', 'delivery']],
  ['street-address', ['53703', '53704']],
])('the fault of a repeated query parameter names the repetition: %s', (name, values) => {
  expect(outcome(RestaurantSearch, { query: { [name]: values } })).toEqual([
    {
      pointer: `query/${name}`,
      code: 'invalid-field',
      detail: `${name} occurs more than once in the query.`,
    },
  ])
})

test.each([Signin, PutMenu])('the fault of a missing body asks for JSON: $name', (operation) => {
  expect(outcome(operation, { params: { apiKey: 'a' }, query: {} })).toMatchObject([
    { pointer: '', code: 'invalid-field', detail: 'The body is missing: send JSON.' },
  ])
})

test.each([
  ['without any part', {}],
  ['of all and the tip', { all: true, includeTip: true }],
  ['of an amount and all', { amount: 1, all: true }],
])('the fault of a refund %s names the parts to choose from', (_, parts) => {
  const request = { params: { apiKey: 'a' }, query: {}, body: { reason: 'LATE', ...parts } }
  expect(outcome(RefundOrder, request)).toMatchObject([
    {
      pointer: '',
      code: 'invalid-field',
      detail: 'The body needs exactly one of amount, items (with includeDelivery and includeTip) and all.',
    },
  ])
})

test('a pause without a body lasts until the restaurant resumes', () => {
  expect(requestParser(PauseRestaurant)({}).values.body).toEqual({})
})

test('a body of another type is not a missing body', () => {
  expect(outcome(Signin, { body: [] })).toMatchObject([
    { pointer: '', code: 'invalid-field', detail: 'The body is not an object.' },
  ])
})

test('a new card without a number and without a token: the detail names both', () => {
  const holder = { cardholderName: 'Maria', cardholderStreetAddress: '2 E Main St', cardholderZip: '53703' }
  expect(outcome(AddCard, { params: { apiKey: 'a' }, query: {}, body: holder })).toMatchObject([
    {
      pointer: '/cardNumber',
      code: 'missing-field',
      detail: 'cardNumber is missing: send a cardNumber or a processorToken.',
    },
    { pointer: '/cvv', detail: 'cvv is missing.' },
    { pointer: '/expirationMonth' },
    { pointer: '/expirationYear' },
  ])
})

test('a missing card and a missing address are reported together with all other faults of the order', () => {
  const body = { items: [{ apiKey: 'a' }], method: 'delivery', payment: 'card', tip: [], recipient: 'maria' }
  expect(outcome(SendOrder, { body })).toMatchObject([
    { pointer: '/restaurantApiKey', code: 'missing-field' },
    { pointer: '/tip', code: 'invalid-field' },
    { pointer: '/card', code: 'missing-field' },
    { pointer: '/address', code: 'missing-field' },
    { pointer: '/recipient', code: 'invalid-field' },
  ])
})

test('a fault that only the normalized body has comes before the spellings that are accepted', () => {
  const body = {
    restaurantAPIKey: 'a',
    items: [{ apiKey: 1 }],
    method: 'Delivery',
    payment: 'card',
    card: 'a',
    tip: 'x',
    recipient: 'a',
  }
  expect(outcome(SendOrder, { body })).toMatchObject([
    { pointer: '/tip', code: 'invalid-field' },
    { pointer: '/address', code: 'missing-field' },
    { pointer: '/restaurantApiKey', code: 'missing-field' },
    { pointer: '/items/0/apiKey', code: 'invalid-field' },
    { pointer: '/method', code: 'invalid-field' },
    { pointer: '/card', code: 'invalid-field' },
    { pointer: '/recipient', code: 'invalid-field' },
  ])
})

test.each([7, [], null, 'text'])('an order that is %j has one fault', (body) => {
  expect(outcome(SendOrder, { body })).toMatchObject([{ pointer: '' }])
})

test('an invalid card and an invalid address are not missing', () => {
  const [order] = Object.values(SendOrder.examples.bodies)
  const body = { ...(order as object), payment: 'card', method: 'delivery', card: 7, address: {} }
  expect(outcome(SendOrder, { body })).toMatchObject([
    { pointer: '/address/streetAddress', code: 'missing-field' },
    { pointer: '/card', code: 'invalid-field' },
  ])
})

describe('detail of a size fault', () => {
  const [body] = Object.values(SendOrder.examples.bodies)

  test.each([
    ['items', 'x'.repeat(101), 'items is not an array.'],
    ['comments', Array.from({ length: 501 }), 'comments is not a string.'],
    ['comments', { length: 501 }, 'comments is not a string.'],
  ])('is absent from a value of another type, which has one fault: %s', (field, value, detail) => {
    expect(outcome(SendOrder, { body: changed(body, [field], value) })).toEqual([
      { pointer: `/${field}`, code: 'invalid-field', detail },
    ])
  })

  test.each([
    ['items', [], 'items must have at least 1 element.'],
    ['items', Array.from({ length: 101 }, () => ({ apiKey: 'a' })), 'items must have at most 100 elements.'],
    ['comments', 'x'.repeat(501), 'comments must have at most 500 characters.'],
  ])('names elements or characters: %s', (field, value, detail) => {
    expect(outcome(SendOrder, { body: changed(body, [field], value) })).toMatchObject([{ detail }])
  })

  test.each([
    ['limit', '0', 'limit must be at least 1.'],
    ['limit', '201', 'limit must be at most 200.'],
    ['pickup-radius', '-1', 'pickup-radius must be at least 0.'],
  ])('names the bound of a query parameter: %s=%s', (name, value, detail) => {
    expect(outcome(RestaurantSearch, { query: { [name]: value } })).toMatchObject([{ detail }])
  })
})

test.each([
  [FindOrders, { from: '2', to: '1' }, 'query/to', 'to is not after from.'],
  [BalanceTransactions, { since: '2', until: '2' }, 'query/until', 'until is not after since.'],
])('refuses an empty range of time, which has no result: $name', (operation, query, pointer, detail) => {
  expect(outcome(operation, { query })).toEqual([{ pointer, code: 'invalid-field', detail }])
})
