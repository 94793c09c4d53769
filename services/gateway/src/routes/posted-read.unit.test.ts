import { OrderStatuses } from '@platter/contracts'
import { createApp, createLog, readBytes, Replicas, type App } from '@platter/kit'
import type { FastifyRequest } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { addPublicRoutes } from '#/testing/public-routes.ts'

const log = createLog('test', 'silent')

async function listen(app: App): Promise<string> {
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app.listeningOrigin
}

test('a stream that a client opens by POST keeps none of its body in memory', async () => {
  const owner = createApp(log)
  owner.get('/*', (_, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1000\n\n')
  })
  const replicas = new Replicas([await listen(owner)])
  onTestFinished(() => replicas.close())
  const gateway = createApp(log)
  const requests: FastifyRequest[] = []
  gateway.addHook('preHandler', async (request) => void requests.push(request))
  readBytes(gateway)
  addPublicRoutes(gateway, { operations: [OrderStatuses], owners: { orders: replicas } })
  const client = new AbortController()
  const { status } = await fetch(`${await listen(gateway)}${OrderStatuses.path.replace(':apiKey', 'o1')}`, {
    method: 'POST',
    headers: { 'x-access-token': 'key', accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify('x'.repeat(60_000)),
    signal: client.signal,
  })
  expect({ status, bodies: requests.map(({ body }) => body) }).toEqual({ status: 200, bodies: [undefined] })
  client.abort()
})
