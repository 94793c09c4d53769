import { expect, test } from 'vitest'
import { anOrder, seedRestaurants, get, sendOrder, stack } from './client.ts'
import { exchange } from '../support/exchange.ts'
import { violationIn } from './malformed/violation.ts'

const SEARCH = '/publicapi/v1/restaurant/search?limit=1'

/** Sends an unchanged request line and header fields. Ends its side after a body. */
async function send(first: string, fields: readonly string[], body = '') {
  const text = [first, `x-access-token: ${stack().accessKey}`, ...fields, '', body].join('\r\n')
  const response = await exchange(stack().gateway, Buffer.from(text), { isHead: false, ends: body !== '' })
  expect(violationIn(response, { isHead: false, mayClose: false })).toBeNull()
  return response
}
const HOST = 'host: localhost'

test.each([
  ['a request that is not HTTP', 'HELO there', [HOST]],
  ['an unknown method', `BREW ${SEARCH} HTTP/1.1`, [HOST]],
  ['an unknown HTTP version', `GET ${SEARCH} HTTP/9.9`, [HOST]],
  ['a request without Host', `GET ${SEARCH} HTTP/1.1`, []],
  ['a header field without a name', `GET ${SEARCH} HTTP/1.1`, [HOST, ': x']],
  ['a header field with a control character', `GET ${SEARCH} HTTP/1.1`, [HOST, 'accept: \u0000']],
  ['20 KB of header fields', `GET ${SEARCH} HTTP/1.1`, [HOST, `x-long: ${'x'.repeat(20_000)}`]],
  ['a path that cannot be decoded', 'GET /publicapi/v1/restaurant/%zz HTTP/1.1', [HOST]],
  ['a path that is too long', `GET /publicapi/v1/restaurant/${'x'.repeat(1_000)} HTTP/1.1`, [HOST]],
  [
    'two Content-Length fields',
    'POST /publicapi/v1/send-order HTTP/1.1',
    [HOST, 'content-length: 2', 'content-length: 3'],
  ],
  ['an invalid Content-Length', 'POST /publicapi/v1/send-order HTTP/1.1', [HOST, 'content-length: -1']],
  [
    'Content-Length beside Transfer-Encoding (request smuggling)',
    'POST /publicapi/v1/send-order HTTP/1.1',
    [HOST, 'content-length: 4', 'transfer-encoding: chunked'],
  ],
])('400: %s, as a problem document', async (_, first, fields) => {
  expect((await send(first, fields)).status).toBe(400)
})

test('400: a truncated body', async () => {
  const fields = [HOST, 'content-type: application/json', 'content-length: 500']
  expect((await send('POST /publicapi/v1/send-order HTTP/1.1', fields, '{"items":[')).status).toBe(400)
})

test('404: CONNECT, and a URL of another host', async () => {
  expect((await send('CONNECT elsewhere.example:443 HTTP/1.1', [HOST])).status).toBe(404)
  expect((await send('GET http://elsewhere.example/page HTTP/1.1', [HOST])).status).toBe(404)
})

test('200: an unknown `Expect` and an `Upgrade` are ignored', async () => {
  expect((await send(`GET ${SEARCH} HTTP/1.1`, [HOST, 'expect: the unexpected'])).status).toBe(200)
  const upgrade = [HOST, 'connection: upgrade', 'upgrade: websocket']
  expect((await send(`GET ${SEARCH} HTTP/1.1`, upgrade)).status).toBe(200)
})

test('404 order-not-found: an unknown Idempotency-Key of 255 characters, also percent-encoded', async () => {
  for (const character of ['k', '/', '%'])
    expect(await get(`order-by-key/${encodeURIComponent(character.repeat(255))}`)).toMatchObject({
      status: 404,
      body: { code: 'order-not-found' },
    })
})

test('an Idempotency-Key of 255 characters, also percent-encoded, finds its order', async () => {
  for (const character of ['k', '/', '%']) {
    const key = crypto.randomUUID().padEnd(255, character)
    const headers = { 'idempotency-key': key }
    const { status, body } = await sendOrder(await anOrder(seedRestaurants.aurora), { headers })
    expect(status).toBe(200)
    expect(await get(`order-by-key/${encodeURIComponent(key)}`)).toMatchObject({
      status: 200,
      body: { apiKey: body.apiKey },
    })
  }
})
