import type { RequestListener } from 'node:http'
import { startHttpServer } from '@platter/testkit/http-server'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { tookOf } from './figures.ts'
import { requestOf, startGenerator, UNIQUE } from './generator.ts'

const generator = await startGenerator()
afterAll(() => generator.stop())

async function startServer(listener: RequestListener) {
  const { server, url: origin, close } = await startHttpServer(listener)
  onTestFinished(close)
  return { server, origin }
}

const load = { perSecond: 200, seconds: 0.1 }

test('each request has its key, its body and a new UUID; an unexpected response is a failure with its text', async () => {
  const ids = new Set<unknown>()
  const { origin } = await startServer((request, response) => {
    const { url, headers } = request
    if (url === '/order' && headers['x-access-token'] === 'k') ids.add(headers['idempotency-key'])
    response.writeHead(url === '/order' ? 503 : 200)
    response.write('received ')
    request.pipe(response)
  })
  const headers = { 'idempotency-key': UNIQUE }
  const requests = [requestOf({ method: 'POST', path: '/order', key: 'k', headers }, { item: 1 })]
  const sources = [{ name: 'orders', load, requests, expects: 200 }]
  const { orders } = await generator.run({ origins: [origin], connections: 4, sources })
  expect(orders).toMatchObject({ sent: 20, lackingRetryAfter: 20, failure: '503 received {"item":1}' })
  expect(tookOf(orders!, 503)).toHaveLength(20)
  expect(ids.size).toBe(20)
})

test('an open loop opens all of its connections before the first request, spread over the origins', async () => {
  const sockets = [0, 0]
  let atFirstRequest: number[] | undefined
  const respond: RequestListener = ({ url }, response) => {
    if (url === '/read') atFirstRequest ??= [...sockets]
    response.end()
  }
  const started = [await startServer(respond), await startServer(respond)]
  for (const [at, { server }] of started.entries()) server.on('connection', () => void (sockets[at]! += 1))
  const sources = [{ name: 'reads', load, requests: [requestOf({ method: 'GET', path: '/read' })] }]
  await generator.run({ origins: started.map(({ origin }) => origin), connections: 8, sources })
  expect(atFirstRequest).toEqual([4, 4])
})

test('a measurement ends if the platform accepts fewer connections', async () => {
  const { server, origin } = await startServer((_request, response) => response.end())
  server.maxConnections = 3
  const sources = [{ name: 'reads', load, requests: [requestOf({ method: 'GET', path: '/' })] }]
  // The last test of the file, because the process of the generator ends.
  await expect(generator.run({ origins: [origin], connections: 8, sources })).rejects.toThrow(
    'ended with code 1',
  )
})
