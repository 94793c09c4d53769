import { expect, test } from 'vitest'
import { createApp } from '#/http/server.ts'
import { createLog } from '#/telemetry/log.ts'

/** Returns the response to a request whose handler throws an error with this code. */
async function readResponse(code: string) {
  const app = createApp(createLog('test', 'silent'))
  app.get('/', () => {
    throw Object.assign(new Error('from PostgreSQL, or from Node'), { code })
  })
  const { statusCode, headers, json } = await app.inject('/')
  return { status: statusCode, code: json<{ code: string }>().code, retryAfter: headers['retry-after'] }
}

test.each([
  ['a lost connection', '08006'],
  ['too many connections', '53300'],
  ['a row lock that was not released within lock_timeout', '55P03'],
  ['a statement that exceeded statement_timeout', '57014'],
  ['a server that is being stopped', '57P01'],
  ['a server that does not listen', 'ECONNREFUSED'],
  ['a server whose machine has stopped', 'EHOSTUNREACH'],
  ['a server without a route to it', 'ENETUNREACH'],
  ['a write at a server that has become a standby', '25006'],
])('503 with Retry-After: 1 for %s (%s)', async (_, code) => {
  expect(await readResponse(code)).toEqual({ status: 503, code: 'service-unavailable', retryAfter: '1' })
})

test.each([
  ['a duplicate row', '23505'],
  ['a statement with a syntax error', '42601'],
  ['a file without permission', 'EACCES'],
])('500 for %s (%s)', async (_, code) => {
  expect(await readResponse(code)).toEqual({ status: 500, code: 'internal-error', retryAfter: undefined })
})
