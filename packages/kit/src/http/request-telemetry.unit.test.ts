import { afterAll, expect, test } from 'vitest'
import { makeAccessKey } from '#/security/access-key.ts'
import { createApp } from '#/http/server.ts'
import { createLog } from '#/telemetry/log.ts'

const app = createApp(createLog('test', 'fatal'))
afterAll(() => app.close())

const requestIdFor = async (given: string) => {
  const { headers } = await app.inject({ url: '/', headers: { 'x-request-id': given } })
  return headers['x-request-id']
}

test.each(['4242424242424242', 'pay-4242-4242-4242-4242', makeAccessKey('test')])(
  'replaces the request id %s, which would put a secret into messages and rows',
  async (given) => {
    expect(await requestIdFor(given)).toMatch(/^[0-9a-f-]{36}$/)
  },
)

test('keeps any other request id', async () => {
  const given = crypto.randomUUID()
  expect(await requestIdFor(given)).toBe(given)
})
