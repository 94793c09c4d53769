import { expect, test } from 'vitest'
import {
  anOrder,
  card,
  cardNumbers,
  seedRestaurants,
  eventually,
  get,
  post,
  receiptsOf,
  sendOrder,
  stack,
  type Order,
} from './client.ts'

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

test('send-order: a repeated key replays the first response, and the restaurant gets one order', async () => {
  const key = crypto.randomUUID()
  const request = await anOrder(seedRestaurants.aurora)
  const first = await sendOrder(request, keyed(key))
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  const again = await sendOrder(request, keyed(`"${key}"`))
  expect(again.status).toBe(200)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
  expect(await receiptsOf(first.body.apiKey)).toHaveLength(1)
})

test.each(['send-order/', 'send%2Dorder', 'send-order?retry=1'])(
  'send-order: the same key returns the same order when the path is written as %s',
  async (path) => {
    const key = crypto.randomUUID()
    const request = await anOrder(seedRestaurants.aurora)
    const first = await post<Order>(path, request, keyed(key))
    const again = await sendOrder(request, keyed(key))
    expect(again.body).toEqual(first.body)
    expect(await get(`order-by-key/${key}`)).toMatchObject({
      status: 200,
      body: { apiKey: first.body.apiKey },
    })
  },
)

test('send-order: 50 concurrent requests with one key over all replicas place one order', async () => {
  const key = crypto.randomUUID()
  const request = { ...(await anOrder(seedRestaurants.aurora)), payment: 'card', card: card() }
  const responses = await Promise.all(Array.from({ length: 50 }, () => sendOrder(request, keyed(key))))
  const placed = new Set(responses.filter(({ status }) => status === 200).map(({ body }) => body.apiKey))
  expect(placed.size).toBe(1)
  const others = responses.filter(({ status }) => status !== 200)
  // On a busy machine, the platform may not have a permit for all of them.
  const refusals = others.map(({ body, headers }) => `${body.code} ${headers.get('retry-after')}`)
  expect(refusals.filter((refusal) => !/^(idempotency-in-flight 1|overloaded [1-3])$/.test(refusal))).toEqual(
    [],
  )
})

test('send-order: 422 idempotency-mismatch for another body; another application may use the same key', async () => {
  const key = crypto.randomUUID()
  const request = await anOrder(seedRestaurants.aurora)
  const { body: first } = await sendOrder(request, keyed(key))
  expect(await sendOrder({ ...request, comments: 'changed' }, keyed(key))).toMatchObject({
    status: 422,
    body: { code: 'idempotency-mismatch' },
  })
  const { body: other } = await sendOrder(request, { ...keyed(key), key: stack().otherAccessKey })
  expect(other.apiKey).not.toBe(first.apiKey)
})

test('send-order: the 402 of a declined card is replayed; a 422 of a closed restaurant is not', async () => {
  const key = crypto.randomUUID()
  const request = {
    ...(await anOrder(seedRestaurants.aurora)),
    payment: 'card',
    card: card(cardNumbers.declined),
  }
  const first = await sendOrder(request, keyed(key))
  const again = await sendOrder(request, keyed(key))
  expect(again).toMatchObject({ status: 402, body: first.body })
  expect(again.headers.get('idempotent-replayed')).toBe('true')

  const correctedKey = crypto.randomUUID()
  expect((await sendOrder(await anOrder(seedRestaurants.closed), keyed(correctedKey))).status).toBe(422)
  expect((await sendOrder(await anOrder(seedRestaurants.aurora), keyed(correctedKey))).status).toBe(200)
})

test('send-order: a 5xx is not stored, and a retry is executed', async () => {
  const key = crypto.randomUUID()
  const request = await anOrder(seedRestaurants.unreachable)
  expect((await sendOrder(request, keyed(key))).status).toBe(502)
  const again = await sendOrder(request, keyed(key))
  expect({ status: again.status, replayed: again.headers.get('idempotent-replayed') }).toEqual({
    status: 502,
    replayed: null,
  })
})

test('send-order: 400 for a key of 256 characters', async () => {
  expect(await sendOrder(await anOrder(seedRestaurants.aurora), keyed('k'.repeat(256)))).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: 'header/Idempotency-Key' }] },
  })
})

test('order-by-key: a client that lost the response finds its order in its current state', async () => {
  const key = `order no. 7/${crypto.randomUUID()}`
  const { body: order } = await sendOrder(
    await anOrder(seedRestaurants.aurora),
    keyed(`"${key.replaceAll(' ', '_')}"`),
  )
  const path = `order-by-key/${encodeURIComponent(key.replaceAll(' ', '_'))}`
  const found = await eventually(
    async () => (await get<Order>(path)).body,
    ({ status }) => status === 'DELIVERED',
  )
  expect(found).toMatchObject({ apiKey: order.apiKey, status: 'DELIVERED' })
})

test('order-by-key: the 402 problem for a declined order, 404 for an unknown or foreign key', async () => {
  const key = crypto.randomUUID()
  await sendOrder(
    { ...(await anOrder(seedRestaurants.aurora)), payment: 'card', card: card(cardNumbers.declined) },
    keyed(key),
  )
  expect(await get(`order-by-key/${key}`)).toMatchObject({ status: 402, body: { code: 'card-declined' } })
  expect(await get(`order-by-key/${key}`, { key: stack().otherAccessKey })).toMatchObject({
    status: 404,
    body: { code: 'order-not-found' },
  })
  expect(await get('order-by-key/unknown')).toMatchObject({ status: 404, body: { code: 'order-not-found' } })
})
