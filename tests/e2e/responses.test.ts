import { request } from 'node:http'
import { operations } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { seedRestaurants, stack } from './client.ts'
import { newKey } from './own-restaurant.ts'

/* Rules for every response of every operation. */

type HttpResponse = { status: number; headers: Record<string, string | string[] | undefined> }

/** Sends a request without a body. `fetch` cannot send TRACE. */
function send(method: string, path: string): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-access-token': stack().accessKey, origin: 'https://other.example.org' }
    const url = new URL(path, stack().gateway)
    const outgoing = request(url, { method, headers, agent: false }, (response) => {
      response.resume()
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

const paths = [...new Set(operations.map(({ path }) => path))]

/** Pages of other origins may read only responses for client applications. */
const isPublic = (path: string) => path.startsWith('/publicapi/')
const corsOf = ({ headers }: HttpResponse) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))
const READABLE = ['access-control-allow-origin', 'access-control-expose-headers']

test.each(['OPTIONS', 'TRACE', 'PROPFIND', 'LINK', 'PURGE'])(
  'no path accepts %s, except OPTIONS on public paths; only public responses have CORS headers',
  async (method) => {
    for (const path of [...paths, '/docs', '/openapi.json', '/console/', '/health/live', '/']) {
      if (method === 'OPTIONS' && isPublic(path)) continue
      const response = await send(method, path.replaceAll(/:\w+/g, newKey()))
      expect(`${method} ${path}: ${response.status}`).toMatch(/: (404|405)$/)
      expect(corsOf(response)).toEqual(isPublic(path) ? READABLE : [])
    }
  },
)

describe('response headers', () => {
  const examples = {
    'a 200 response': () => send('GET', `/publicapi/v1/restaurant/${seedRestaurants.aurora}`),
    'a 404 problem': () => send('GET', '/publicapi/v1/restaurant/none'),
    'a response for an unknown endpoint': () => send('GET', '/nothing'),
    'a response for an undecodable path': () => send('GET', '/publicapi/v1/restaurant/%c0'),
    'a response for an oversized request head': () => send('GET', `/${'x'.repeat(20_000)}`),
    'a health response': () => send('GET', '/health/live'),
    'the OpenAPI document': () => send('GET', '/openapi.json'),
  }
  test.each(Object.entries(examples))(
    '%s has cache-control no-store and x-content-type-options nosniff',
    async (_, sendExample) => {
      const { headers } = await sendExample()
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    },
  )

  test('a client may cache a menu, and must revalidate it each time (private, no-cache)', async () => {
    const { headers } = await send('GET', `/publicapi/v1/restaurant/${seedRestaurants.aurora}/menu`)
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
    })
  })

  test.each(Object.entries(examples))(
    '%s does not reveal the software that serves it',
    async (_, sendExample) => {
      const { headers } = await sendExample()
      expect(Object.keys(headers).filter((name) => /^(server|x-powered-by|via)$/.test(name))).toEqual([])
    },
  )

  test.each([
    '/nothing',
    '/health/live',
    '/openapi.json',
    '/restaurantapi/v1/orders',
    '/operatorapi/v1/applications',
  ])('pages of other origins may not read %s', async (path) => {
    expect(corsOf(await send('GET', path))).toEqual([])
  })
})

test('every operation has a path below publicapi, restaurantapi or operatorapi', () => {
  const audiences = /^\/(publicapi|restaurantapi|operatorapi)\//
  expect(operations.filter(({ path }) => !audiences.test(path))).toEqual([])
})
