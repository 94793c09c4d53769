import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { EventStreams } from '#/http/event-stream.ts'
import { createApp } from '#/http/server.ts'
import { createLog } from '#/telemetry/log.ts'

test('a stream does not begin for a client that has disconnected before the handler ends', async () => {
  const app = createApp(createLog('test', 'silent'))
  const streams = new EventStreams()
  let hasBegun = false
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  app.get('/', async (request, reply) => {
    const closed = once(reply.raw, 'close')
    client.destroy()
    await closed
    streams.respond(async () => void (hasBegun = true)).start(request, reply)
    start()
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: service\r\n\r\n')
  await started
  expect(hasBegun).toBe(false)
  await app.close()
})
