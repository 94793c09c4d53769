import { gzipSync } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { bodyTooLarge, readJson } from '#/http/body-parsers.ts'
import { createApp } from '#/http/server.ts'
import { createLog } from '#/telemetry/log.ts'

test.each([
  ['70000', 'The body has 70000 bytes: this endpoint takes at most 65536 bytes (64 KiB).'],
  [undefined, 'The body is too large: this endpoint takes at most 65536 bytes (64 KiB).'],
  ['4242424242424242', 'The body is too large: this endpoint takes at most 65536 bytes (64 KiB).'],
])('for the content-length %s, the problem of a large body is: %s', (length, detail) => {
  const request = { routeOptions: { bodyLimit: 65_536 }, headers: { 'content-length': length } }
  expect(bodyTooLarge(request as FastifyRequest).message).toBe(detail)
})

test.each([
  ['compressed', gzipSync('{}'), 'The body is compressed: send it without Content-Encoding.'],
  ['in Latin-1', Buffer.from('{"a":"é"}', 'latin1'), 'The body is not UTF-8.'],
])('a body that is %s is 400, with that reason in its detail', async (_, payload, detail) => {
  const app = createApp(createLog('test', 'silent'))
  readJson(app)
  app.post('/', async () => 'read')
  const headers = { 'content-type': 'application/json' }
  const response = await app.inject({ method: 'POST', url: '/', headers, payload })
  expect(response.json()).toMatchObject({ status: 400, code: 'malformed-json', detail })
  await app.close()
})
