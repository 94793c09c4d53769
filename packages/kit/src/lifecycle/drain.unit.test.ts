import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createApp } from '#/http/server.ts'
import { drain } from '#/lifecycle/service.ts'
import { createLog } from '#/telemetry/log.ts'

test('a stopping process refuses new connections, and serves an idle one until it is closed', async () => {
  const app = createApp(createLog('test', 'silent'))
  app.get('/', async () => 'served')
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const idle = connect(port, '127.0.0.1')
  const closed = once(idle, 'close').then(() => ['closed'])
  async function sendRequest(): Promise<string> {
    idle.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n')
    const [response] = (await Promise.race([once(idle, 'data'), closed])) as [Buffer | string]
    return String(response)
  }
  expect(await sendRequest()).toContain('served')
  const drained = drain(app)
  const isRefused = async () => {
    const other = connect(port, '127.0.0.1')
    await expect(once(other, 'connect').finally(() => other.destroy())).rejects.toThrow('ECONNREFUSED')
  }
  await vi.waitFor(isRefused, { timeout: 30_000, interval: 50 })
  expect(await sendRequest()).toContain('served')
  idle.end()
  await drained
})
