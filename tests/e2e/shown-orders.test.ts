import { expect, onTestFinished, test } from 'vitest'
import { Stream } from '../support/event-stream.ts'
import { startHttpServer } from '@platter/testkit/http-server'
import {
  anOrder,
  seedRestaurants,
  eventually,
  get,
  operator,
  readOrder,
  register,
  sendOrder,
  stack,
  statusesOf,
  type Order,
  type ProblemBody,
  type User,
} from './client.ts'
import { aRestaurant, menuItem } from './own-restaurant.ts'

/** Requests by which a client can see an order before the response of send-order. */
const LOOKUPS: [name: string, findOrder: (key: string, user: User) => Promise<Order | undefined>][] = [
  [
    'order-by-key',
    async (key) => {
      const { status, body } = await get<Order>(`order-by-key/${key}`)
      return status === 200 ? body : undefined
    },
  ],
  ['user-orders', async (_key, user) => (await get<Order[]>(`user/${user.apiKey}/orders`)).body[0]],
]

/**
 * Creates a restaurant that rejects an order at the command of the test. The order is pending until then, also on a slow machine.
 */
async function createHesitantRestaurant(): Promise<{ apiKey: string; refuse: () => void }> {
  const { promise: decided, resolve: refuse } = Promise.withResolvers<void>()
  const server = await startHttpServer((request, response) => {
    request.resume()
    void decided.then(() => response.writeHead(409).end('{"reason":"The oven is cold."}'))
  })
  onTestFinished(server.close)
  const apiKey = await aRestaurant({}, [menuItem(12.5)])
  const url = `${server.url}/orders`
  const secret = `whsec_${Buffer.from('a secret of 24 bytes, ok').toString('base64')}`
  await operator('PUT', `restaurants/${apiKey}/link`, { kind: 'webhook', url, secret })
  return { apiKey, refuse }
}

test.each(LOOKUPS)(
  'an order that %s returned while it was pending stays visible as cancelled after it fails',
  async (_name, findOrder) => {
    const [user, key] = [await register(), crypto.randomUUID()]
    const kitchen = await createHesitantRestaurant()
    const order = await anOrder(kitchen.apiKey, { recipient: { apiKey: user.apiKey } })
    const sending = sendOrder(order, { headers: { 'idempotency-key': key } })
    const seen = await eventually(
      () => findOrder(key, user),
      (found) => found !== undefined,
    )
    expect(seen).toMatchObject({ status: 'PROCESSING', cancellation: null })
    const apiKey = seen?.apiKey ?? ''
    const stream = await Stream.open(`${stack().gateway}/publicapi/v1/order/${apiKey}/statuses`, {
      key: stack().accessKey,
    })
    onTestFinished(() => stream.close())

    kitchen.refuse()
    // The pending request has the same response as without the other read.
    expect(await sending).toMatchObject({ status: 422, body: { code: 'order-refused' } })
    const cancelled = { apiKey, status: 'PROCESSING', cancellation: { reason: 'order-refused' } }
    expect(await readOrder(apiKey)).toMatchObject(cancelled)
    expect((await get<Order[]>(`user/${user.apiKey}/orders`)).body).toMatchObject([cancelled])
    expect(await statusesOf(apiKey)).toEqual(['PROCESSING'])
    await stream.ended()
    expect(stream.events.map(({ event }) => event)).toEqual(['status', 'cancellation'])
  },
)

test('an order that no client saw before it failed is not visible', async () => {
  const [user, key] = [await register(), crypto.randomUUID()]
  const order = await anOrder(seedRestaurants.unreachable, { recipient: { apiKey: user.apiKey } })
  expect((await sendOrder(order, { headers: { 'idempotency-key': key } })).status).toBe(502)
  expect((await get<Order[]>(`user/${user.apiKey}/orders`)).body).toEqual([])
  expect(await get<ProblemBody>(`order-by-key/${key}`)).toMatchObject({
    status: 404,
    body: { code: 'order-not-found' },
  })
})
