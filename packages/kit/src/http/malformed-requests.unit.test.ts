import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '#/http/server.ts'
import { createLog } from '#/telemetry/log.ts'

/** Sends all bytes before it reads. Returns the response. */
async function send(bytes: string): Promise<string> {
  const app = createApp(createLog('test', 'silent'))
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await new Promise<void>((resolve, reject) => {
    client.once('error', reject)
    client.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
  const response = buffer(client)
  await once(client, 'close')
  return String(await response)
}

/** More than the buffers of both sockets take. */
const MANY = 'x'.repeat(16 * 1024 * 1024)

test.each([
  ['a head that is too long', `GET /${MANY} HTTP/1.1\r\nhost: test\r\n\r\n`, '400 Bad Request'],
  ['CONNECT', `CONNECT test:443 HTTP/1.1\r\nhost: test\r\n\r\n${MANY}`, '404 Not Found'],
])('a client that sends 16 MiB receives the response to %s', async (_name, bytes, status) => {
  expect(await send(bytes)).toMatch(new RegExp(String.raw`^HTTP/1.1 ${status}\r\n`))
})

test.each([
  ['a space', 'GET /search?at=2 E Main HTTP/1.1\r\nhost: test\r\n\r\n', /must be percent-encoded/],
  ['an accent', 'GET /search?at=Cañon HTTP/1.1\r\nhost: test\r\n\r\n', /must be percent-encoded/],
  ['a long path', `GET /${MANY} HTTP/1.1\r\nhost: test\r\n\r\n`, /at most 16 KiB/],
  ['an invalid field name', 'GET / HTTP/1.1\r\na b: c\r\n\r\n', /line or a header field cannot be read\./],
])('the detail of the 400 for %s names the fault', async (_name, bytes, detail) => {
  expect(await send(bytes)).toMatch(detail)
})
