import { once } from 'node:events'
import { connect } from 'node:net'
import { CancelOrder } from '@platter/contracts'
import { createApp, createLog, LeakyBucket, readBytes, Replicas, type App } from '@platter/kit'
import { expect, onTestFinished, test } from 'vitest'
import type { AccessKeys } from '#/access-keys.ts'
import { Admission } from '#/admission.ts'
import { publicRoutes } from '#/routes/public-routes.ts'
import { Streams } from '#/streams.ts'

const log = createLog('test', 'silent')

async function listen(app: App): Promise<number> {
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return Number(new URL(app.listeningOrigin).port)
}

test('the request of a client that disconnects during its admission reaches no service', async () => {
  const owner = createApp(log)
  let forwarded = 0
  owner.all('/*', async () => void (forwarded += 1))
  const replicas = new Replicas([`http://127.0.0.1:${await listen(owner)}`])
  onTestFinished(() => replicas.close())
  const gateway = createApp(log)
  readBytes(gateway)
  const disconnected = Promise.withResolvers<void>()
  gateway.addHook('onRequest', async (_request, { raw }) => void raw.once('close', disconnected.resolve))
  const rate = new LeakyBucket({ name: 'default', what: 'requests', requests: 1_000, seconds: 1 })
  const principalOf = async () => {
    client.destroy()
    await disconnected.promise
    return { kind: 'application', applicationId: 'a', accessKeyId: 'k', mode: 'live' }
  }
  publicRoutes(gateway, {
    operations: [CancelOrder],
    owners: { orders: replicas },
    streamOwners: {},
    admission: new Admission({ replicas: {}, accessKeyRate: rate, orderRate: rate }),
    streams: new Streams({ application: 1, restaurant: 1 }),
    accessKeys: { lastKnown: () => null, principalOf } as unknown as AccessKeys,
    deadlineMs: 10_000,
    secrets: ['x'.repeat(32)],
  })
  const port = await listen(gateway)
  const client = connect(port, '127.0.0.1')
  await once(client, 'connect')
  const path = '/publicapi/v1/order/o1/cancel'
  client.write(`POST ${path} HTTP/1.1\r\nhost: x\r\nx-access-token: key\r\ncontent-length: 0\r\n\r\n`)
  await disconnected.promise
  // Sent after the first request, so the service would have received both.
  const other = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'x-access-token': 'key' },
  })
  expect({ status: other.status, forwarded }).toEqual({ status: 200, forwarded: 1 })
})
