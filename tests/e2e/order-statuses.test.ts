import { OrderStatuses, type Order, type OrderStatusRecord } from '@platter/contracts'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { anOrder, seedRestaurants, get, readOrder, sendOrder, stack, refuse, report } from './client.ts'
import { Stream, type StreamEvent } from '../support/event-stream.ts'
import { aKitchen } from './own-restaurant.ts'

let kitchen: Awaited<ReturnType<typeof aKitchen>>
beforeAll(async () => {
  kitchen = await aKitchen()
})

const aNewOrder = async () => (await sendOrder(await anOrder(kitchen.apiKey))).body.apiKey

const open: Stream[] = []
afterEach(() => {
  for (const stream of open.splice(0)) stream.close()
})

async function openStream(order: string, options: Parameters<typeof Stream.open>[1] = {}): Promise<Stream> {
  const stream = await Stream.open(`${stack().gateway}/publicapi/v1/order/${order}/statuses`, {
    key: stack().accessKey,
    ...options,
  })
  open.push(stream)
  return stream
}

const statusOf = ({ data }: StreamEvent) => (data as OrderStatusRecord).status
const hasStatus = (status: string) => (event: StreamEvent) =>
  event.event === 'status' && statusOf(event) === status

test('the stream has the past statuses, then each new one, and ends after DELIVERED', async () => {
  const order = await aNewOrder()
  const stream = await openStream(order)
  await stream.until(hasStatus('AWAITING_PREPARATION'))
  await report(order, 'PREPARING', kitchen.key)
  await stream.until(hasStatus('PREPARING'))
  await report(order, 'DELIVERED', kitchen.key)
  await stream.ended()
  const { body: history } = await get<OrderStatusRecord[]>(`order/${order}/statuses`)
  expect(stream.events).toEqual(
    history.map((data, position) => ({ event: 'status', id: String(position), data })),
  )
  expect(history.map(({ status }) => status).at(-1)).toBe('DELIVERED')
  for (const { data } of stream.events) expect(OrderStatuses.events.status.parse(data)).toEqual(data)
})

test('the stream has the five statuses of an order at a simulated restaurant', async () => {
  const { body } = await sendOrder(await anOrder(seedRestaurants.aurora))
  const stream = await openStream(body.apiKey)
  await stream.ended()
  expect(stream.events.map(statusOf)).toEqual([
    'PROCESSING',
    'AWAITING_PREPARATION',
    'PREPARING',
    'READY_FOR_PICKUP',
    'DELIVERED',
  ])
})

test('a stream with Last-Event-ID continues after that event, without loss or repetition', async () => {
  const order = await aNewOrder()
  const first = await openStream(order)
  await first.until(hasStatus('AWAITING_PREPARATION'))
  const id = first.lastEventId
  first.close()
  await report(order, 'PREPARING', kitchen.key)
  const second = await openStream(order, { lastEventId: id })
  await second.until(hasStatus('PREPARING'))
  await report(order, 'DELIVERED', kitchen.key)
  await second.ended()
  expect(second.events.map(statusOf)).toEqual(['PREPARING', 'DELIVERED'])
  const strange = await openStream(order, { lastEventId: '99' })
  await strange.ended()
  expect(strange.events).toHaveLength(4)
})

test('a client that reconnects after the last status gets 204', async () => {
  const order = await aNewOrder()
  await report(order, 'PREPARING', kitchen.key)
  await report(order, 'DELIVERED', kitchen.key)
  const stream = await openStream(order)
  await stream.ended()
  const { status, others } = await openStream(order, { lastEventId: stream.lastEventId })
  expect({ status, others }).toEqual({ status: 204, others: [] })
  expect((await get(`order/${order}/statuses?lastEventId=3`)).status).toBe(200)
})

test('the stream ends with a cancellation event that equals the cancellation of the order', async () => {
  const order = await aNewOrder()
  const stream = await openStream(order)
  await stream.until(hasStatus('AWAITING_PREPARATION'))
  await refuse(order, 'no gas', kitchen.key)
  await stream.ended()
  const { event, data, id } = stream.events.at(-1) ?? {}
  expect({ event, id }).toEqual({ event: 'cancellation', id: '2' })
  const { cancellation }: Order = await readOrder(order)
  expect(data).toEqual(cancellation)
  expect((await openStream(order, { lastEventId: id })).status).toBe(204)
  expect((await openStream(order, { lastEventId: '1' })).status).toBe(200)
})
