import { once } from 'node:events'
import { connect } from 'node:net'
import { CancelOrder } from '@platter/contracts'
import { createApp, createLog, readBytes, Replicas, type App } from '@platter/kit'
import { expect, onTestFinished, test } from 'vitest'
import { addPublicRoutes, anyAccessKey } from '#/testing/public-routes.ts'

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
  const valid = anyAccessKey()
  const principalOf: typeof valid.principalOf = async (...given) => {
    client.destroy()
    await disconnected.promise
    return valid.principalOf(...given)
  }
  const accessKeys = anyAccessKey({ principalOf })
  addPublicRoutes(gateway, { operations: [CancelOrder], owners: { orders: replicas }, accessKeys })
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
