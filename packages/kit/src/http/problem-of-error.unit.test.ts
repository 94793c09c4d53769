import { expect, test } from 'vitest'
import { createApp } from '#/http/server.ts'
import { createLog } from '#/telemetry/log.ts'

/** What a request is answered while whoever handles it meets an error of this code. */
async function answerTo(code: string) {
  const app = createApp(createLog('test', 'silent'))
  app.get('/', () => {
    throw Object.assign(new Error('from PostgreSQL, or from Node'), { code })
  })
  const { statusCode, headers, json } = await app.inject('/')
  return { status: statusCode, code: json<{ code: string }>().code, retryAfter: headers['retry-after'] }
}

test.each([
  ['a lost connection', '08006'],
  ['no more connections', '53300'],
  ['a row that was not let go within lock_timeout', '55P03'],
  ['a statement that was not done within statement_timeout', '57014'],
  ['a server that is being stopped', '57P01'],
  ['a server that is not there', 'ECONNREFUSED'],
])('%s (%s) is 503: come back in a second', async (_, code) => {
  expect(await answerTo(code)).toEqual({ status: 503, code: 'service-unavailable', retryAfter: '1' })
})

test.each([
  ['a row that is there twice', '23505'],
  ['a statement that cannot be read', '42601'],
  ['a file that must not be read', 'EACCES'],
])('%s (%s) is a mistake of ours: 500', async (_, code) => {
  expect(await answerTo(code)).toEqual({ status: 500, code: 'internal-error', retryAfter: undefined })
})
