import { beforeAll, describe, expect, test } from 'vitest'
import { anOrder, call, card, seedRestaurants, home, maria, stack, refusal, validate } from './client.ts'

type Body = Record<string, unknown>

let pickup: Body
let delivery: Body
let item: { apiKey: string }

beforeAll(async () => {
  pickup = await anOrder(seedRestaurants.aurora)
  delivery = { ...pickup, method: 'delivery', address: home }
  item = (pickup['items'] as [{ apiKey: string }])[0]
})

/** Sends unchanged text or bytes. */
const send = (body: string | Uint8Array<ArrayBuffer> | ReadableStream, type = 'application/json') =>
  fetch(`${stack().gateway}/publicapi/v1/validate-order`, {
    method: 'POST',
    headers: { 'x-access-token': stack().accessKey, 'content-type': type },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  })
async function resultOf(sent: Promise<Response>) {
  const response = await sent
  return { status: response.status, code: ((await response.json()) as { code?: string }).code }
}

describe('lenient parsing', () => {
  test.each([3, '3', '3.00', ' 3 ', '0003'])('200: a tip of %j', async (tip) => {
    expect(await validate({ ...delivery, tip })).toMatchObject({ status: 200, body: { tip: 3 } })
  })

  test.each([[7], true, {}, 'three', '1e3', '0x10', 'Infinity', 'NaN', '1,5', '--1', '1.', '٣'])(
    '400 invalid-field: a tip of %j',
    async (tip) => {
      expect(await refusal({ ...delivery, tip })).toEqual({ status: 400, faults: ['invalid-field /tip'] })
    },
  )

  test.each(['true', 'false', true, false])('200: test: %j', async (testing) => {
    const isTest = String(testing) === 'true'
    const order = isTest ? await anOrder(seedRestaurants.test) : pickup
    expect(await validate({ ...order, test: testing })).toMatchObject({ status: 200, body: { test: isTest } })
  })

  test.each(['maybe', 2, -1, [true], {}])('400 invalid-field: test: %j', async (testing) => {
    expect(await refusal({ ...pickup, test: testing })).toEqual({
      status: 400,
      faults: ['invalid-field /test'],
    })
  })

  test('200: the card of a cash order and the address of a pickup order are ignored', async () => {
    const { status, body } = await validate({ ...pickup, card: 'none', address: [7] })
    expect(status).toBe(200)
    expect(body).toMatchObject({ card: null, address: null })
  })
})

describe('required fields and types', () => {
  test.each([
    [
      'an empty order',
      {},
      [
        'items',
        'method',
        'payment',
        'recipient/firstName',
        'recipient/lastName',
        'recipient/phone',
        'restaurantApiKey',
      ],
    ],
    ['a card order without a card', { payment: 'card' }, ['card']],
    ['a delivery order without an address', { method: 'delivery' }, ['address']],
    [
      'a guest without a name',
      { recipient: null },
      ['recipient/firstName', 'recipient/lastName', 'recipient/phone'],
    ],
    ['an item without an apiKey', { items: [{}] }, ['items/0/apiKey']],
    [
      'a choice without an apiKey',
      { items: [{ apiKey: 'x', customizationChoices: [{}] }] },
      ['items/0/customizationChoices/0/apiKey'],
    ],
    [
      'a card without cvv and ZIP code',
      { payment: 'card', card: { ...card(), cvv: undefined, cardholderZip: undefined } },
      ['card/cardholderZip', 'card/cvv'],
    ],
    ['a ZIP code as address', { method: 'delivery', address: { zip: '53703' } }, ['address/streetAddress']],
  ])('400 missing-field: %s', async (_, changes: Body, missing) => {
    const order = Object.keys(changes).length === 0 ? {} : { ...pickup, ...changes }
    const { status, faults } = await refusal(order)
    expect(status).toBe(400)
    expect(faults.toSorted()).toEqual(missing.map((at) => `missing-field /${at}`))
  })

  test.each([
    ['restaurantApiKey', 7.5],
    ['restaurantApiKey', 'a/../b'],
    ['items', []],
    ['items', {}],
    ['items', 'all'],
    ['method', 'fly'],
    ['method', 1],
    ['payment', ['cash']],
    ['comments', 7],
    ['comments', { $ne: '' }],
    ['recipient', [maria]],
    ['recipient', 7.5],
  ])('400 invalid-field: %s: %j', async (field, value) => {
    expect(await refusal({ ...pickup, [field]: value })).toEqual({
      status: 400,
      faults: [`invalid-field /${field}`],
    })
  })

  test.each([
    ['/items/0', [null]],
    ['/items/0', ['an item']],
    ['/items/0/apiKey', [{ apiKey: 7.5 }]],
    ['/items/0/comments', [{ apiKey: 'x', comments: [] }]],
    ['/items/0/customizationChoices', [{ apiKey: 'x', customizationChoices: 'large' }]],
    ['/items/0/customizationChoices/0', [{ apiKey: 'x', customizationChoices: ['large'] }]],
    ['/items/0/customizationChoices/0/apiKey', [{ apiKey: 'x', customizationChoices: [{ apiKey: ['x'] }] }]],
  ])('400 invalid-field at %s: %j', async (pointer, items) => {
    expect(await refusal({ ...pickup, items })).toEqual({ status: 400, faults: [`invalid-field ${pointer}`] })
  })

  test.each([
    ['cardNumber', '4242_4242_4242_4242'],
    ['cardNumber', '4242424242424241'],
    ['cardNumber', 4242424242424241],
    ['cvv', '12'],
    ['cvv', 12345],
    ['expirationMonth', '13'],
    ['expirationMonth', '9.'],
    ['expirationYear', '1931'],
    ['cardholderName', ' '],
  ])('400 invalid-field: a card with %s: %j, which the response does not repeat', async (field, value) => {
    const order = { ...pickup, payment: 'card', card: { ...card(), [field]: value } }
    const { status, body } = await validate<{ errors: { pointer: string }[] }>(order)
    expect(status).toBe(400)
    expect(body.errors.map(({ pointer }) => pointer)).toEqual([`/card/${field}`])
    expect(JSON.stringify(body)).not.toMatch(/4242424242|[": ]314[", ]/)
  })

  test.each(['restaurantApiKey', 'items', 'comments', 'recipient'])(
    '400: %s with a length that cannot be compared',
    async (field) => {
      const strange = { length: { valueOf: null, toString: null } }
      const value = field === 'recipient' ? { ...maria, firstName: strange } : strange
      expect((await refusal({ ...pickup, [field]: value })).status).toBe(400)
    },
  )

  test.each([[null], [[]], ['text'], [7], [true]])('400: a body of %j', async (body) => {
    expect((await resultOf(send(JSON.stringify(body)))).status).toBe(400)
  })
})

describe('text', () => {
  test.each([
    'first line\nsecond\tline\r\n',
    'Grüße, 你好, مرحبا 🍕👩‍🍳',
    // A line separator, and a joiner within a Persian word.
    '\u2028می\u200Cخواهم',
    "'; drop table orders; --",
    '<b>',
  ])('200: comments of %j are returned unchanged, but for the space around them', async (comments) => {
    expect((await validate({ ...pickup, comments })).body.comments).toBe(comments.trim())
  })

  test.each(['\u0000', 'a\u0000b', '\u0007', '\u001B[31m', '\u007F', '\uD83C', 'x\uDF55', '\uDF55\uD83C'])(
    '400 invalid-field: %j in comments or in a name',
    async (broken) => {
      const changes = {
        comments: broken,
        items: [{ ...item, comments: broken }],
        recipient: { ...maria, firstName: broken },
      }
      const { status, faults } = await refusal({ ...pickup, ...changes })
      expect(status).toBe(400)
      expect(faults.toSorted()).toEqual([
        'invalid-field /comments',
        'invalid-field /items/0/comments',
        'invalid-field /recipient/firstName',
      ])
    },
  )

  test('400 invalid-field: a name of white space only', async () => {
    expect(await refusal({ ...pickup, recipient: { ...maria, lastName: ' \t ' } })).toEqual({
      status: 400,
      faults: ['invalid-field /recipient/lastName'],
    })
  })
})

const long = (length: number) => 'x'.repeat(length)
const times = (count: number) => Array.from({ length: count }, () => item)
const withChoices = (count: number) => ({
  ...pickup,
  items: [{ ...item, customizationChoices: Array.from({ length: count }, () => ({ apiKey: 'x' })) }],
})
/** Returns an order with this number of bytes. */
const padded = (bytes: number) => {
  const rest = JSON.stringify({ ...pickup, ballast: '' })
  return JSON.stringify({ ...pickup, ballast: long(bytes - rest.length) })
}

describe('limits', () => {
  test('comments have at most 500 characters, and names at most 100', async () => {
    const within = { comments: long(500), recipient: { ...maria, firstName: long(100) } }
    expect((await validate({ ...pickup, ...within, items: [{ ...item, comments: long(500) }] })).status).toBe(
      200,
    )
    const beyond = { comments: long(501), recipient: { ...maria, firstName: long(101) } }
    const { status, faults } = await refusal({
      ...pickup,
      ...beyond,
      items: [{ ...item, comments: long(501) }],
    })
    expect(status).toBe(400)
    expect(faults.toSorted()).toEqual([
      'invalid-field /comments',
      'invalid-field /items/0/comments',
      'invalid-field /recipient/firstName',
    ])
  })

  test('an order has at most 100 items', async () => {
    expect((await validate({ ...pickup, items: times(100) })).status).toBe(200)
    expect(await refusal({ ...pickup, items: times(101) })).toEqual({
      status: 400,
      faults: ['invalid-field /items'],
    })
  })

  test('an item has at most 50 choices', async () => {
    const { status, faults } = await refusal(withChoices(50))
    expect({ status, count: faults.length }).toEqual({ status: 422, count: 50 })
    expect(await refusal(withChoices(51))).toEqual({
      status: 400,
      faults: ['invalid-field /items/0/customizationChoices'],
    })
  })

  test('413 body-too-large past 64 KiB, with and without a content length', async () => {
    const tooLarge = padded(64 * 1024 + 1)
    expect(await resultOf(send(padded(64 * 1024)))).toEqual({ status: 200 })
    expect(await resultOf(send(tooLarge))).toEqual({ status: 413, code: 'body-too-large' })
    expect(await resultOf(send(new Blob([tooLarge]).stream()))).toEqual({
      status: 413,
      code: 'body-too-large',
    })
  })
})

describe('content type and JSON syntax', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    '200: the content type %s',
    async (type) => {
      expect(await resultOf(send(JSON.stringify(pickup), type))).toEqual({ status: 200 })
    },
  )

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'nonsense',
  ])('415 not-json: the content type %s', async (type) => {
    expect(await resultOf(send(JSON.stringify(pickup), type))).toEqual({ status: 415, code: 'not-json' })
  })

  test.each([
    '{',
    '{"items":[}',
    "{'method':'pickup'}",
    '{"a":01}',
    '{"a":NaN}',
    'undefined',
    '{"a":"\n"}',
    '{}{}',
    '\u0000',
  ])('400 malformed-json: %j', async (text) => {
    expect(await resultOf(send(text))).toEqual({ status: 400, code: 'malformed-json' })
  })

  test('400 malformed-json: bytes that are not UTF-8', async () => {
    const text = JSON.stringify({ ...pickup, comments: '#' })
    const bytes = Uint8Array.from(text, (character) => (character === '#' ? 0xff : character.codePointAt(0)!))
    expect(await resultOf(send(bytes))).toEqual({ status: 400, code: 'malformed-json' })
  })

  test.each([
    '{"__proto__":{"test":true}}',
    '{"items":[{"__proto__":{}}]}',
    '{"constructor":{"prototype":{}}}',
  ])('400 malformed-json: %s', async (text) => {
    expect(await resultOf(send(text))).toEqual({ status: 400, code: 'malformed-json' })
  })

  test.each(['[', '{"a":'])('10,000 nested %j get 200 in an unknown field, else 400', async (opening) => {
    const nested = opening.repeat(10_000) + '1' + (opening === '[' ? ']' : '}').repeat(10_000)
    const order = JSON.stringify(pickup)
    expect(await resultOf(send(`${order.slice(0, -1)},"unknown":${nested}}`))).toEqual({ status: 200 })
    expect(await resultOf(send(`${order.slice(0, -1)},"comments":${nested}}`))).toEqual({
      status: 400,
      code: 'invalid-field',
    })
    expect((await resultOf(send(nested))).status).toBe(400)
    expect(await resultOf(send(opening.repeat(12_000)))).toEqual({ status: 400, code: 'malformed-json' })
  })

  test('400: no body, an empty body, and a body of white space', async () => {
    for (const body of ['', ' ']) expect((await resultOf(send(body))).status).toBe(400)
    const without = await call<{ code: string }>('/publicapi/v1/validate-order', { method: 'POST' })
    expect(without.status).toBe(400)
  })
})
