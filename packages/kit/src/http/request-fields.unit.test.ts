import { PutMenu, PutRestaurant, RestaurantSearch, SendOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import { requestParser } from '#/http/request-parser.ts'
import { ignoredFields } from '#/http/request-fields.ts'

const parse = requestParser(SendOrder)
const parseOrder = ({ body }: { body: unknown }) => parse({ query: {}, body })
const order = {
  restaurantApiKey: 'a',
  items: [{ apiKey: 'b' }],
  method: 'pickup',
  payment: 'cash',
  recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' },
}
const unknownIn = (body: unknown) => parseOrder({ body }).unknownFields
const headerOf = (body: unknown) => ignoredFields(unknownIn(body))

test('a request with known fields only has no unknown fields', () => {
  expect(unknownIn(order)).toEqual([])
  expect(headerOf({ ...order, card: null, address: { apiKey: 'c' }, comments: '' })).toBe('')
})

test('names unknown fields at every level, each name once, with the field that may be meant', () => {
  const { firstName: _, ...others } = order.recipient
  const body = {
    ...order,
    comment: 'x',
    items: [
      { apiKey: 'b', quantity: 2 },
      { apiKey: 'b', quantity: 3, customizationChoices: [{ apiKey: 'd', no: 1 }] },
    ],
    recipient: { ...others, firstNam: 'Maria' },
  }
  expect(unknownIn(body)).toEqual([
    {
      name: 'items[].quantity',
      pointer: '/items/0/quantity',
      meant: null,
    },
    { name: 'items[].customizationChoices[].no', pointer: '/items/1/customizationChoices/0/no', meant: null },
    {
      name: 'recipient.firstNam',
      pointer: '/recipient/firstNam',
      meant: { name: 'recipient.firstName', pointer: '/recipient/firstName' },
    },
    { name: 'comment', pointer: '/comment', meant: { name: 'comments', pointer: '/comments' } },
  ])
})

test('a missing field is reported with the unknown field that may be meant for it', () => {
  const { items, recipient, ...others } = order
  const { firstName, ...person } = recipient
  const { problem } = parseOrder({
    body: { ...others, item: items, recipient: { ...person, firstNam: firstName } },
  })
  expect(problem?.faults.map(({ code, detail }) => [code, detail])).toEqual([
    ['missing-field', 'items is missing. The unknown field item may be meant for it.'],
    [
      'missing-field',
      'recipient.firstName is missing. The unknown field recipient.firstNam may be meant for it.',
    ],
  ])
})

test('suggests no field that the request contains', () => {
  expect(unknownIn({ ...order, comments: 'x', comment: 'y' })).toMatchObject([
    { name: 'comment', meant: null },
  ])
})

test('names query parameters with the prefix query/, and internal fields as unknown', () => {
  const { unknownFields } = requestParser(RestaurantSearch)({ query: { limits: '3', 'pickup-radius': '' } })
  expect(unknownFields).toEqual([
    { name: 'query/limits', pointer: 'query/limits', meant: { name: 'query/limit', pointer: 'query/limit' } },
  ])
  expect(headerOf({ ...order, recipient: { ...order.recipient, guest: true } })).toBe('recipient.guest')
})

test('names unknown fields in a top-level list, and refuses a day that does not exist', () => {
  const menu = [{ apiKey: 'a', name: 'Pies', items: [{ apiKey: 'b', name: 'Pie', basePrice: 1, price: 2 }] }]
  const { unknownFields } = requestParser(PutMenu)({ params: { apiKey: 'a' }, query: {}, body: menu })
  expect(unknownFields.map(({ name }) => name)).toEqual(['[].items[].price'])
  const { problem, unknownFields: none } = requestParser(PutRestaurant)({
    params: { apiKey: 'a' },
    query: {},
    body: { hours: { Noday: [], Monday: null } },
  })
  expect(none).toEqual([])
  expect(problem?.faults.find(({ pointer }) => pointer.startsWith('/hours'))).toMatchObject({
    detail: 'hours has a member that is not allowed there.',
  })
})

test('the header has plain ASCII only, and never a card number or an access key', () => {
  const names = [
    'a, b',
    'Größe',
    'x\r\nset-cookie: a=b',
    '\uD800',
    '100%',
    '4242424242424242',
    '4242 4242-4242.4242',
    '４２４２４２４２４２４２４２４２',
    'platter_live_not_a_key_at_all',
    'x'.repeat(60_000),
  ]
  const header = headerOf({ ...order, ...Object.fromEntries(names.map((name) => [name, 1])) })
  expect(header).toBe('a%2C%20b, Gr%C3%B6%C3%9Fe, x%0D%0Aset-cookie%3A%20a%3Db, %EF%BF%BD, 100%25, [masked]')
})

test('a name with twelve digits is masked, because it may be a card number', () => {
  expect(headerOf({ ...order, a12345678901: 1, 'b123-456-789-012': 1 })).toBe('a12345678901, [masked]')
})

test('the header has at most 20 names and 1,030 characters', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, 1]))
  expect(headerOf({ ...order, ...many })).toMatch(/^f0, f1, .*f19, \.\.\.$/)
  const long = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${'é'.repeat(60)}${index}`, 1]))
  const header = headerOf({ ...order, ...long })
  expect(header.length).toBeLessThanOrEqual(1_030)
  expect(header).toMatch(/, \.\.\.$/)
})
