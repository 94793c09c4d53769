import { request } from 'node:http'
import { operations } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { cast, stack } from './client.ts'
import { newKey } from './own-restaurant.ts'

/* Rules for every response of every operation. */

type Answer = { status: number; headers: Record<string, string | string[] | undefined> }

/** Sends a request without a body. `fetch` cannot send TRACE. */
function ask(method: string, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-access-token': stack().accessKey, origin: 'https://other.example.org' }
    const asked = request(new URL(path, stack().gateway), { method, headers, agent: false }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }))
    })
    asked.on('error', reject)
    asked.end()
  })
}

const paths = [...new Set(operations.map(({ path }) => path))]

/** Pages of other origins may read only responses for client applications. */
const isPublic = (path: string) => path.startsWith('/publicapi/')
const corsOf = ({ headers }: Answer) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))
const READABLE = ['access-control-allow-origin', 'access-control-expose-headers']

test.each(['OPTIONS', 'TRACE', 'PROPFIND', 'LINK', 'PURGE'])(
  'no path accepts %s, except OPTIONS on public paths; only public responses have CORS headers',
  async (method) => {
    for (const path of [...paths, '/docs', '/openapi.json', '/console/', '/health/live', '/']) {
      if (method === 'OPTIONS' && isPublic(path)) continue
      const answer = await ask(method, path.replaceAll(/:\w+/g, newKey()))
      expect(`${method} ${path}: ${answer.status}`).toMatch(/: (404|405)$/)
      expect(corsOf(answer)).toEqual(isPublic(path) ? READABLE : [])
    }
  },
)

describe('response headers', () => {
  const ofEverything = {
    'a 200 response': () => ask('GET', `/publicapi/v1/restaurant/${cast.aurora}`),
    'a 404 problem': () => ask('GET', '/publicapi/v1/restaurant/none'),
    'a response for an unknown endpoint': () => ask('GET', '/nothing'),
    'a response for an undecodable path': () => ask('GET', '/publicapi/v1/restaurant/%c0'),
    'a response for an oversized request head': () => ask('GET', `/${'x'.repeat(20_000)}`),
    'a health response': () => ask('GET', '/health/live'),
    'the OpenAPI document': () => ask('GET', '/openapi.json'),
  }
  test.each(Object.entries(ofEverything))(
    '%s has cache-control no-store and x-content-type-options nosniff',
    async (_, answer) => {
      const { headers } = await answer()
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    },
  )

  test('a client may cache a menu, and must revalidate it each time (private, no-cache)', async () => {
    const { headers } = await ask('GET', `/publicapi/v1/restaurant/${cast.aurora}/menu`)
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
    })
  })

  test.each(Object.entries(ofEverything))(
    '%s does not reveal the software that serves it',
    async (_, answer) => {
      const { headers } = await answer()
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
    expect(corsOf(await ask('GET', path))).toEqual([])
  })
})

test('every operation has a path below publicapi, restaurantapi or operatorapi', () => {
  const audiences = /^\/(publicapi|restaurantapi|operatorapi)\//
  expect(operations.filter(({ path }) => !audiences.test(path))).toEqual([])
})
