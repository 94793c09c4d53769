import { operations, type Operation } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { api, call, seedRestaurants, get, post, stack } from './client.ts'
import { newKey } from './own-restaurant.ts'
import { ownStack } from './stack.ts'

type Problem = { code: string; type: string; instance: string; requestId: string }

const labelOf = ({ method, path }: Operation) => `${method} ${path}`
/** Returns a path of the operation with unknown identifiers. */
const pathOf = ({ path }: Operation, key = newKey()) => path.replaceAll(/:\w+/g, key)
let network = 1
/** Sends a request without a body. */
const sendEmpty = (operation: Operation, key: string | null, more: { path?: string; method?: string } = {}) =>
  call<Problem>(more.path ?? pathOf(operation), {
    method: more.method ?? operation.method,
    key,
    // Each request has a separate network, because 30 bad keys a minute block the network that sends them.
    headers: { 'x-forwarded-for': `2001:db8:0:${(network++).toString(16)}::1` },
  })

const named = (list: readonly Operation[]) =>
  list.map((operation) => [labelOf(operation), operation] as const)

describe('access keys', () => {
  test.each(named(operations))('401: %s without a key, and with an invalid key', async (_, operation) => {
    ownStack()
    for (const [key, code] of [
      [null, 'access-token-missing'],
      ['', 'access-token-missing'],
      ['platter_live_nonsense', 'access-token-invalid'],
    ] as const) {
      const { status, body, headers } = await sendEmpty(operation, key)
      expect({ status, code: body.code }).toEqual({ status: 401, code })
      expect(headers.get('ratelimit')).toBeNull()
    }
  })

  test('access-token is valid as a parameter; a header with a value has precedence; a repetition is a 401', async () => {
    ownStack()
    const inQuery = `restaurant/search?limit=1&access-token=${stack().accessKey}`
    expect((await get(inQuery, { key: null })).status).toBe(200)
    expect((await get(inQuery, { key: '' })).status).toBe(200)
    expect((await get(inQuery, { key: 'platter_live_nonsense' })).status).toBe(401)
    expect((await get(`${inQuery}&access-token=${stack().accessKey}`, { key: null })).status).toBe(401)
    expect((await get(inQuery.replace('access-token', 'access%2Dtoken'), { key: null })).status).toBe(200)
  })

  test('a problem response does not contain the access key of the query', async () => {
    const { headers, body } = await get<Problem>(`nothing?access-token=${stack().accessKey}`, { key: null })
    expect(JSON.stringify([body, [...headers]])).not.toContain(stack().accessKey)
  })
})

describe('paths and methods', () => {
  test.each(named(operations))('405 method-not-allowed, with Allow, for DELETE: %s', async (_, operation) => {
    const { status, headers, body } = await sendEmpty(operation, stack().accessKey, { method: 'DELETE' })
    expect({ status, code: body.code }).toEqual({ status: 405, code: 'method-not-allowed' })
    expect(headers.get('allow')?.split(', ')).toContain(operation.method)
  })

  test.each(named(operations.filter(({ method }) => method === 'GET')))(
    'a trailing slash does not change status and code: %s',
    async (_, operation) => {
      const key = operation.path.startsWith('/publicapi/') ? stack().accessKey : stack().operatorKey
      const path = pathOf(operation)
      const [plain, slashed] = [
        await sendEmpty(operation, key, { path }),
        await sendEmpty(operation, key, { path: `${path}/` }),
      ]
      expect(slashed.status).toBe(plain.status)
      expect(slashed.body.code).toBe(plain.body.code)
    },
  )

  test.each([
    '/',
    '/publicapi/v1',
    '/publicapi/v2/restaurant/search',
    '/internal/resolve-access-key',
    '/%2e%2e/',
    '//',
  ])('404 no-such-endpoint: %s', async (path) => {
    expect(await call(path, { method: 'POST', body: {} })).toMatchObject({
      status: 404,
      body: { code: 'no-such-endpoint' },
    })
  })
})

const sendWithId = (id: string) => get<Problem>('restaurant/none', { headers: { 'x-request-id': id } })

describe('problems', () => {
  test('a problem has RFC 9457 members and original error members, and its type is a valid URL', async () => {
    const { status, headers, body } = await get<Problem>('restaurant/none?street-address=Madison,+WI')
    expect(status).toBe(404)
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(body).toEqual({
      type: '/problems/restaurant-not-found',
      title: 'There is no such restaurant',
      status: 404,
      detail: 'There is no such restaurant.',
      instance: '/publicapi/v1/restaurant/none',
      code: 'restaurant-not-found',
      requestId: headers.get('x-request-id'),
      retryable: false,
      errors: [],
      error: true,
      errorCode: 1401,
      details: 'There is no such restaurant.',
    })
    expect((await call(body.type, { key: null })).status).toBe(200)
  })

  test('X-Request-Id is echoed, and generated when it is absent or invalid', async () => {
    const id = crypto.randomUUID()
    const echoed = await sendWithId(id)
    expect(echoed.headers.get('x-request-id')).toBe(id)
    expect(echoed.body.requestId).toBe(id)
    for (const strange of ['', 'two words', '<b>', 'x'.repeat(101)]) {
      const made = (await sendWithId(strange)).headers.get('x-request-id')
      expect(made).toMatch(/^[0-9a-f-]{36}$/)
    }
  })
})

describe('rate limit', () => {
  test('each response has RateLimit headers, and each request decreases the remainder by one', async () => {
    const { accessKey: key } = await api.newApplication('limited')
    const left: number[] = []
    for (const path of [
      'restaurant/search?limit=1',
      'restaurant/none',
      `restaurant/${seedRestaurants.aurora}/menu`,
    ]) {
      const { headers } = await get(path, { key })
      expect(headers.get('ratelimit-policy')).toMatch(/^"default";q=\d+;w=\d+$/)
      const [, remaining, seconds] = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? []
      expect(Number(seconds)).toBeGreaterThan(0)
      left.push(Number(remaining))
    }
    const [first = 0] = left
    expect(left).toEqual([first, first - 1, first - 2])
  })

  test('a validate-order response has the remaining orders of the application in this second', async () => {
    const { accessKey: key } = await api.newApplication('limited')
    const { headers } = await post('validate-order', {}, { key })
    expect(headers.get('ratelimit-policy')).toMatch(/^"default";q=\d+;w=\d+, "orders";q=\d+;w=1$/)
    expect(headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+, "orders";r=\d+;t=1$/)
  })
})
