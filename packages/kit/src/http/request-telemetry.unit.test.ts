import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, expect, onTestFinished, test } from 'vitest'
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

test('a client that disconnects before the response leaves a log line with status 499', async () => {
  const logged = Promise.withResolvers<Record<string, unknown>>()
  const write = (text: string) => {
    const line = JSON.parse(text) as Record<string, unknown>
    if (line['msg'] === 'request') logged.resolve(line)
  }
  const slow = createApp(createLog('test', 'info', { write }))
  const disconnected = Promise.withResolvers<void>()
  slow.get('/slow', async () => {
    client.destroy()
    await disconnected.promise
    return {}
  })
  await slow.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => slow.close())
  const client = connect(Number(new URL(slow.listeningOrigin).port), '127.0.0.1')
  client.end('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(client, 'close')
  expect(await logged.promise).toMatchObject({ method: 'GET', route: '/slow', status: 499 })
  disconnected.resolve()
})
