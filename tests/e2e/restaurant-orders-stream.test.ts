import { RestaurantOrdersStream, type RestaurantOrder } from '@platter/contracts'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { anOrder, call, sendOrder, stack } from './client.ts'
import { Stream, type StreamEvent } from '../support/event-stream.ts'
import { aKitchen } from './own-restaurant.ts'

const PATH = '/restaurantapi/v1/orders/stream'
const url = () => `${stack().gateway}${PATH}`

let kitchen: Awaited<ReturnType<typeof aKitchen>>
beforeAll(async () => {
  kitchen = await aKitchen()
})

const streams: Stream[] = []
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close()
})

async function openStream(lastEventId?: string): Promise<Stream> {
  const stream = await Stream.open(url(), { key: kitchen.key, lastEventId })
  streams.push(stream)
  return stream
}

const callRestaurant = <T>(path: string, body?: unknown) =>
  call<T>(`/restaurantapi/v1/${path}`, { key: kitchen.key, ...(body !== undefined && { body }) })
const placeOrder = async () => (await sendOrder(await anOrder(kitchen.apiKey))).body.apiKey
const orderOf = ({ data }: StreamEvent) => data as RestaurantOrder
const isOrder = (apiKey: string, more: Partial<RestaurantOrder> = {}) => {
  return ({ event, data }: StreamEvent) =>
    event === 'order' &&
    Object.entries({ apiKey, ...more }).every(
      ([name, value]) => (data as Record<string, unknown>)[name] === value,
    )
}
const isReady = ({ event }: StreamEvent) => event === 'ready'

test('the stream starts with the open orders of the list, oldest first, and a ready event', async () => {
  const deliveredOrder = await placeOrder()
  await callRestaurant(`order/${deliveredOrder}/status`, { status: 'PREPARING' })
  await callRestaurant(`order/${deliveredOrder}/status`, { status: 'DELIVERED' })
  await placeOrder()
  const stream = await openStream()
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect((await stream.until(isReady)).data).toEqual({})
  expect(stream.others).toContain('retry: 1000')
  const { body } = await callRestaurant<RestaurantOrder[]>('orders?open=true&limit=200')
  const sent = stream.events.filter(({ event }) => event === 'order').map(orderOf)
  expect(sent).toEqual(body.toReversed())
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.map(({ apiKey }) => apiKey)).not.toContain(deliveredOrder)
  for (const { event, data } of stream.events)
    expect(RestaurantOrdersStream.events[event as 'order'].parse(data)).toEqual(data)
})

// The delay: services/orders/src/reading/feeds.stack.test.ts, "an event wakes its subscribers at once".
test('an open stream sends new orders, their status changes and a cancellation', async () => {
  const stream = await openStream()
  await stream.until(isReady)
  const order = await placeOrder()
  await stream.until(isOrder(order, { status: 'AWAITING_PREPARATION' }))
  await callRestaurant(`order/${order}/status`, { status: 'PREPARING' })
  await stream.until(isOrder(order, { status: 'PREPARING' }))
  await callRestaurant(`order/${order}/status`, { status: 'DELIVERED' })
  await stream.until(isOrder(order, { status: 'DELIVERED' }))
  const other = await placeOrder()
  await callRestaurant(`order/${other}/refuse`, { reason: 'out of paneer' })
  const cancelled = await stream.until(
    (event) => isOrder(other)(event) && orderOf(event).cancellation !== null,
  )
  expect(orderOf(cancelled).cancellation).toMatchObject({ cancelledBy: 'restaurant' })
})

test('after Last-Event-ID the stream sends only changed orders, cancelled ones too, then ready', async () => {
  const before = await placeOrder()
  const first = await openStream()
  await first.until(isReady)
  await first.until(isOrder(before))
  const unchanged = await placeOrder()
  await first.until(isOrder(unchanged))
  // A further order, so that the id is after all earlier events.
  const last = await placeOrder()
  await first.until(isOrder(last))
  const id = first.lastEventId ?? ''
  first.close()
  await callRestaurant(`order/${before}/refuse`, { reason: 'closing early' })
  const missed = await placeOrder()

  const second = await openStream(id)
  await second.until(isReady)
  const sent = second.events.filter(({ event }) => event === 'order').map(orderOf)
  expect(sent.find(({ apiKey }) => apiKey === before)?.cancellation).not.toBeNull()
  expect(sent.map(({ apiKey }) => apiKey)).toContain(missed)
  expect(sent.map(({ apiKey }) => apiKey)).not.toContain(unchanged)

  const inQuery = await Stream.open(`${url()}?lastEventId=${id}&access-token=${kitchen.key}`)
  streams.push(inQuery)
  await inQuery.until(isReady)
  expect(
    inQuery.events
      .filter(({ event }) => event === 'order')
      .map(({ data }) => (data as RestaurantOrder).apiKey),
  ).toContain(missed)
})

test.each(['nonsense', '0', '-1', '999999999999999999', '99999999999999999999'])(
  'an invalid Last-Event-ID (%s) counts as absent: the stream sends the open orders',
  async (id) => {
    const order = await placeOrder()
    const stream = await openStream(id)
    await stream.until(isReady)
    expect(stream.events.some(isOrder(order))).toBe(true)
  },
)

test('the stream has no orders of another restaurant, and rejects an application key (403)', async () => {
  const others = await Stream.open(url(), { key: (await aKitchen()).key })
  streams.push(others)
  await others.until(isReady)
  const mine = await openStream()
  await mine.until(isReady)
  const order = await placeOrder()
  await mine.until(isOrder(order))
  expect(others.events.map(({ event }) => event)).toEqual(['ready'])
  expect(await call(PATH)).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
})

test('HEAD returns 200 and the content type of the stream', async () => {
  const response = await fetch(url(), {
    method: 'HEAD',
    headers: { 'x-access-token': kitchen.key },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
})
