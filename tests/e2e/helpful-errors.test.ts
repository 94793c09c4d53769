import { ValidateOrder } from '@platter/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  anOrder,
  call,
  seedRestaurants,
  get,
  post,
  stack,
  type ProblemBody,
  expectConforms,
  validate,
} from './client.ts'

let order: Record<string, unknown>
beforeAll(async () => {
  order = await anOrder(seedRestaurants.aurora)
})

const ignoredFieldsOf = ({ headers }: { headers: Headers }) => headers.get('x-ignored-fields')
const detailOf = async (response: Promise<{ body: ProblemBody }>) => (await response).body.detail
const send = (body: string) => post<ProblemBody>('validate-order', body)

test('the error of an order without items names the minimum number of items', async () => {
  expect(await detailOf(validate<ProblemBody>({ ...order, items: [] }))).toBe(
    'items must have at least 1 element.',
  )
})

test('the error of a returnUrl that no bank can open names the accepted URLs', async () => {
  expect(await detailOf(validate<ProblemBody>({ ...order, returnUrl: 'http://shop.example/paid' }))).toBe(
    "returnUrl is not an https URL or one with the application's own scheme.",
  )
})

test('malformed JSON is reported by line and column, without its text', async () => {
  const response = await send(
    '{\n  "method": "pickup",\n  "cardNumber": 4242424242424242 4000000000000002\n}',
  )
  expect(response.body).toMatchObject({
    status: 400,
    code: 'malformed-json',
    detail: "The body is not JSON. Line 3, column 34: Expected ',' or '}' after property value.",
  })
  expect(JSON.stringify(response.body)).not.toMatch(/4242|0002/)
  expect(await detailOf(send('{"__proto__": {}}'))).toBe(
    'The body has a member __proto__ or constructor.prototype: leave it out.',
  )
})

test('404 no-such-endpoint suggests a similar endpoint, if one exists', async () => {
  const near = await get<ProblemBody>('restaurants/search')
  expect(near.body).toMatchObject({
    status: 404,
    code: 'no-such-endpoint',
    detail: 'There is no such endpoint. Did you mean GET /publicapi/v1/restaurant/search?',
  })
  expect(await detailOf(get<ProblemBody>('nonsense'))).toBe('There is no such endpoint.')
})

test('405 method-not-allowed names the methods that the path accepts', async () => {
  const get405 = await get<ProblemBody>('send-order')
  expect([get405.status, get405.headers.get('allow'), get405.body.detail]).toEqual([
    405,
    'POST, PUT, PATCH',
    'This endpoint supports only POST, PUT and PATCH.',
  ])
  const response = await call<ProblemBody>('/publicapi/v1/restaurant/search', { method: 'DELETE' })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
})

test('413 body-too-large names the limit, and the size when it is known', async () => {
  const body = JSON.stringify({ ...order, ballast: 'x'.repeat(70_000) })
  expect(await detailOf(send(body))).toBe(
    `The body has ${body.length} bytes: this endpoint takes at most 65536 bytes (64 KiB).`,
  )
  const unknown = await fetch(`${stack().gateway}/publicapi/v1/validate-order`, {
    method: 'POST',
    headers: { 'x-access-token': stack().accessKey, 'content-type': 'application/json' },
    body: new Blob([body]).stream(),
    duplex: 'half',
  })
  expect(((await unknown.json()) as ProblemBody).detail).toBe(
    'The body is too large: this endpoint takes at most 65536 bytes (64 KiB).',
  )
})

test('GET / has links to the API and its documentation, as JSON and as HTML', async () => {
  const { status, body } = await call<Record<string, string>>('/', { key: null })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    applications: '/publicapi/v1',
    documentation: '/docs',
    openapi: '/openapi.json',
  })
  const page = await fetch(stack().gateway, { headers: { accept: 'text/html' } })
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const links = [...(await page.text()).matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path)
  expect(links).toEqual([body['documentation'], body['openapi'], body['console']])
  for (const path of ['/docs', '/openapi.json'])
    expect((await fetch(`${stack().gateway}${path}`)).status).toBe(200)
})

test('the page of a problem contains its cause and its remedy', async () => {
  const response = await fetch(`${stack().gateway}/problems/tip-out-of-range`, {
    headers: { accept: 'text/html' },
  })
  const text = await response.text()
  expect(text).toContain('Why it happens')
  expect(text).toContain('Correct <code>tip</code>; <code>detail</code> has the bounds.')
})

describe('unknown fields', () => {
  test('are accepted, listed in X-Ignored-Fields, and in the warnings of validate-order', async () => {
    const { items } = order as { items: object[] }
    const body = { comment: 'Ring twice.', ...order, items: items.map((item) => ({ ...item, quantity: 2 })) }
    const response = await validate<{ warnings: unknown; comments: unknown }>(body)
    expect(response.status).toBe(200)
    expectConforms(ValidateOrder, response.body)
    expect(ignoredFieldsOf(response)).toBe('comment, items[].quantity')
    expect(response.body).toMatchObject({
      comments: null,
      warnings: [
        {
          pointer: '/comment',
          code: 'unknown-field',
          detail: 'The field comment is unknown and is ignored. It may be meant for comments.',
        },
        {
          pointer: '/items/0/quantity',
          code: 'unknown-field',
          detail: 'The field items[].quantity is unknown and is ignored.',
        },
      ],
    })
    expect((await post('send-order', body)).headers.get('x-ignored-fields')).toBe('comment, items[].quantity')
  })

  test('are listed in X-Ignored-Fields of errors too, and suggested for a missing field', async () => {
    const { items, ...others } = order
    const response = await validate<ProblemBody>({ ...others, item: items })
    expect([response.status, ignoredFieldsOf(response)]).toEqual([400, 'item'])
    expect(response.body.errors).toEqual([
      {
        pointer: '/items',
        code: 'missing-field',
        detail: 'items is missing. The unknown field item may be meant for it.',
      },
    ])
    const unavailable = await validate<ProblemBody>({ ...order, restaurantApiKey: 'none', extra: 1 })
    expect([unavailable.status, ignoredFieldsOf(unavailable)]).toEqual([404, 'extra'])
  })

  test('are listed for query parameters too, except the access key', async () => {
    const { accessKey } = stack()
    const response = await get(
      `restaurant/${seedRestaurants.aurora}/menu?includeCustomisations=true&access-token=${accessKey}`,
      {
        key: null,
      },
    )
    expect([response.status, ignoredFieldsOf(response)]).toEqual([200, 'query/includeCustomisations'])
  })
})
