import { describe, expect, test } from 'vitest'
import {
  anOrder,
  call,
  seedRestaurants,
  delivered,
  get,
  maria,
  operator,
  post,
  register,
  sendOrder,
  stack,
} from './client.ts'
import type { Restaurant, User } from './client.ts'
import { keyOf } from './stack.ts'

/* HTTP behaviour of clients that were written for the original interface. */

const API = '/publicapi/v1'
const EXPOSED =
  'Link, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id, X-Ignored-Fields'

type Problem = { code: string }

describe('Browsers', () => {
  test.each([
    ['200', `${API}/restaurant/search?limit=1`, {}],
    ['200 that the gateway caches', `${API}/restaurant/${seedRestaurants.aurora}`, {}],
    ['401', `${API}/restaurant/search`, { key: null }],
    ['400 of the gateway', `${API}/restaurant/%zz`, {}],
    ['400 of a service', `${API}/restaurant/search?latitude=x`, {}],
    ['404', `${API}/restaurant/none`, {}],
    ['404 no-such-endpoint', `${API}/nothing`, {}],
    ['405', `${API}/signin`, { method: 'DELETE' }],
    ['422', `${API}/validate-order`, { body: { restaurantApiKey: seedRestaurants.closed } }],
  ])('a page of any origin may read a %s', async (_, path, options) => {
    const { headers } = await call(path, options)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toBe(EXPOSED)
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('a page of any origin may read a 304', async () => {
    const menu = await get(`restaurant/${seedRestaurants.aurora}/menu`)
    const headers = { 'if-none-match': menu.headers.get('etag') ?? '' }
    const unchanged = await get(`restaurant/${seedRestaurants.aurora}/menu`, { headers })
    expect(unchanged.status).toBe(304)
    expect(unchanged.headers.get('access-control-allow-origin')).toBe('*')
  })

  test.each([`${API}/send-order`, `${API}/restaurant/${seedRestaurants.aurora}`, `${API}/nothing`])(
    'a preflight of %s needs no access key, responds with 204, and is valid for a day',
    async (path) => {
      const { status, headers, body } = await call(path, {
        method: 'OPTIONS',
        key: null,
        headers: {
          origin: 'https://shop.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,idempotency-key,x-access-token',
        },
      })
      expect([status, body]).toEqual([204, undefined])
      expect(Object.fromEntries(headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type,idempotency-key,x-access-token',
        'access-control-max-age': '86400',
      })
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    },
  )

  test('other origins may not read restaurant or operator operations, the console or /docs', async () => {
    for (const path of [
      '/restaurantapi/v1/orders',
      '/operatorapi/v1/applications',
      '/console/',
      '/',
      '/docs',
    ]) {
      const response = await call<unknown>(path, { method: 'OPTIONS', key: stack().operatorKey })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(response.status).not.toBe(204)
    }
    const { status, headers } = await operator('GET', 'applications')
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null])
  })
})

describe('Methods', () => {
  test('a POST to a read endpoint returns the same body as GET', async () => {
    const user = await register()
    const order = (
      await sendOrder(await anOrder(seedRestaurants.aurora, { recipient: { apiKey: user.apiKey } }))
    ).body
    await delivered(order.apiKey)
    for (const path of [
      'restaurant/search?street-address=Madison, WI&limit=2',
      'restaurant/search-test?limit=2',
      `restaurant/${seedRestaurants.aurora}`,
      `restaurant/${seedRestaurants.aurora}/menu?includeCustomizations=true`,
      `user/${user.apiKey}`,
      `user/${user.apiKey}/orders`,
      `order/${order.apiKey}/statuses`,
    ]) {
      const read = await get<object>(path)
      expect(await post(path, undefined, { method: 'POST' })).toMatchObject({ status: 200, body: read.body })
    }
  })

  test('a POST to a read endpoint ignores its body, even malformed JSON', async () => {
    const path = `${API}/restaurant/${seedRestaurants.aurora}`
    const sent = {
      method: 'POST',
      body: 'a=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }
    expect(await call<Restaurant>(path, sent)).toMatchObject({
      status: 200,
      body: { apiKey: seedRestaurants.aurora },
    })
    expect((await call(path, { method: 'POST', body: '{ broken' })).status).toBe(200)
  })

  test.each(['PUT', 'PATCH'])('write endpoints accept %s instead of POST', async (method) => {
    const email = `${crypto.randomUUID()}@example.org`
    const account = { ...maria, email, password: 'a long enough password' }
    const user = await post<User>('register-user', account, { method })
    expect(user.status).toBe(200)
    expect((await post('signin', account, { method })).status).toBe(200)
    const { apiKey } = user.body
    const renamed = await post<User>(`update-user/${apiKey}`, { firstName: 'Mia' }, { method })
    expect(renamed.body.firstName).toBe('Mia')
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const order = await anOrder(seedRestaurants.aurora)
    const [first, again] = [await sendOrder(order, { method, headers }), await sendOrder(order, { headers })]
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body.apiKey).toBe(first.body.apiKey)
  })

  test('405 for an operator or restaurant operation with an undocumented method', async () => {
    expect((await operator<Problem>('PATCH', 'applications', { name: 'x' })).status).toBe(405)
    expect((await operator<Problem>('POST', 'attention')).status).toBe(405)
    const key = keyOf(seedRestaurants.console)
    expect((await call('/restaurantapi/v1/pause', { method: 'PUT', key })).status).toBe(405)
    expect((await call('/restaurantapi/v1/orders', { method: 'POST', key })).status).toBe(405)
  })
})
