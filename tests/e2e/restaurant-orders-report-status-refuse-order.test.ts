import type { RestaurantOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import {
  anOrder,
  call,
  card,
  cast,
  eventually,
  ledgerOf,
  readOrder,
  sendOrder,
  stack,
  statusesOf,
  type ProblemBody,
} from './client.ts'
import { keyOf } from './stack.ts'

/** Calls as the restaurant whose console it is: its orders move only when it says so. */
const atTheCounter = <T>(path: string, body?: unknown, key = keyOf(cast.console)) =>
  call<T & ProblemBody>(`/restaurantapi/v1/${path}`, { key, ...(body !== undefined && { body }) })

const report = (apiKey: string, status: string) =>
  atTheCounter<RestaurantOrder>(`order/${apiKey}/status`, { status })

test('orders: a new order has what the kitchen needs, and no card', async () => {
  const { body: order } = await sendOrder({
    ...(await anOrder(cast.console)),
    payment: 'card',
    card: card(),
    comments: 'ring twice',
  })
  const { status, body } = await atTheCounter<RestaurantOrder[]>('orders?open=true')
  expect(status).toBe(200)
  const mine = body.find(({ apiKey }) => apiKey === order.apiKey)
  expect(mine).toMatchObject({
    status: 'AWAITING_PREPARATION',
    comments: 'ring twice',
    toCollect: 0,
    recipient: { firstName: 'Maria' },
  })
  expect(mine?.items.map(({ comments }) => comments)).toEqual([null, 'well done, please'])
  expect(JSON.stringify(mine)).not.toMatch(/lastFour|expiration|cardholder/)
})

test('status: reports move an order along the table, a repeated one changes nothing, any other is 409', async () => {
  const { body: order } = await sendOrder(await anOrder(cast.console))
  expect((await atTheCounter<RestaurantOrder>(`order/${order.apiKey}`)).body).toMatchObject({
    toCollect: order.total,
  })
  expect((await report(order.apiKey, 'PREPARING')).body).toMatchObject({
    status: 'PREPARING',
    nextStatuses: ['READY_FOR_PICKUP', 'DELIVERED'],
  })
  expect((await report(order.apiKey, 'PREPARING')).status).toBe(200)
  expect(await report(order.apiKey, 'OUT_FOR_DELIVERY')).toMatchObject({
    status: 409,
    body: { code: 'invalid-transition' },
  })
  expect((await report(order.apiKey, 'DELIVERED')).status).toBe(200)
  expect(await statusesOf(order.apiKey)).toEqual([
    'PROCESSING',
    'AWAITING_PREPARATION',
    'PREPARING',
    'DELIVERED',
  ])
  const { body: open } = await atTheCounter<RestaurantOrder[]>('orders?open=true')
  expect(open.map(({ apiKey }) => apiKey)).not.toContain(order.apiKey)
})

test('acceptBy: an order on a console is cancelled 15 minutes after it was placed, unless it is started or refused', async () => {
  const read = async (apiKey: string) => (await atTheCounter<RestaurantOrder>(`order/${apiKey}`)).body
  const { body: started } = await sendOrder(await anOrder(cast.console))
  const { body: refused } = await sendOrder(await anOrder(cast.console))
  for (const { apiKey, datePlaced } of [started, refused])
    expect(await read(apiKey)).toMatchObject({ acceptBy: (datePlaced ?? 0) + 900 })
  const { body: open } = await atTheCounter<RestaurantOrder[]>('orders?open=true')
  expect(open.find(({ apiKey }) => apiKey === started.apiKey)).toHaveProperty('acceptBy')
  expect((await report(started.apiKey, 'PREPARING')).body).not.toHaveProperty('acceptBy')
  await atTheCounter(`order/${refused.apiKey}/refuse`, { reason: 'out of paneer' })
  expect(await read(refused.apiKey)).not.toHaveProperty('acceptBy')
})

test('acceptBy: an order of a restaurant without a console has none', async () => {
  const { body: order } = await sendOrder(await anOrder(cast.aurora))
  const { body } = await atTheCounter<RestaurantOrder>(`order/${order.apiKey}`, undefined, keyOf(cast.aurora))
  expect(body).toMatchObject({ apiKey: order.apiKey })
  expect(body).not.toHaveProperty('acceptBy')
})

test('refuse: an order that was paid is cancelled and refunded, keeps its history and moves no further', async () => {
  const { body: order } = await sendOrder({ ...(await anOrder(cast.console)), payment: 'card', card: card() })
  await eventually(
    () => readOrder(order.apiKey),
    ({ paymentState }) => paymentState === 'CHARGED',
  )
  const { status, body } = await atTheCounter<RestaurantOrder>(`order/${order.apiKey}/refuse`, {
    reason: 'out of paneer',
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    nextStatuses: [],
    cancellation: { cancelledBy: 'restaurant', reason: 'order-refused' },
  })
  const cancelled = await eventually(
    () => readOrder(order.apiKey),
    ({ paymentState }) => paymentState === 'REFUNDED',
  )
  expect(cancelled).toMatchObject({
    status: 'AWAITING_PREPARATION',
    paymentState: 'REFUNDED',
    cancellation: {
      message: expect.stringContaining('out of paneer') as string,
      refund: { amount: order.total, state: 'REFUNDED' },
    },
  })
  expect((await ledgerOf(order.apiKey)).map(({ kind }) => kind)).toEqual(['authorize', 'capture', 'refund'])
  expect(await report(order.apiKey, 'PREPARING')).toMatchObject({
    status: 409,
    body: { code: 'invalid-transition' },
  })
  expect((await atTheCounter(`order/${order.apiKey}/refuse`, { reason: 'again' })).status).toBe(200)
})

test('refuse: a cash order is cancelled; one that was handed over cannot be', async () => {
  const { body: order } = await sendOrder(await anOrder(cast.console))
  await atTheCounter(`order/${order.apiKey}/refuse`, { reason: 'closing early' })
  expect(await readOrder(order.apiKey)).toMatchObject({
    paymentState: 'VOIDED',
    cancellation: { refund: { amount: 0 } },
  })
  const { body: other } = await sendOrder(await anOrder(cast.console))
  await report(other.apiKey, 'PREPARING')
  await report(other.apiKey, 'DELIVERED')
  expect(await atTheCounter(`order/${other.apiKey}/refuse`, { reason: 'too late' })).toMatchObject({
    status: 409,
    body: { code: 'invalid-transition' },
  })
})

test("404: another restaurant's order is not there; 403 for another kind of key", async () => {
  const { body: order } = await sendOrder(await anOrder(cast.console))
  for (const [path, body] of [
    [`order/${order.apiKey}`, undefined],
    [`order/${order.apiKey}/status`, { status: 'PREPARING' }],
    [`order/${order.apiKey}/refuse`, { reason: 'mine' }],
  ] as const) {
    expect(await atTheCounter(path, body, keyOf(cast.aurora))).toMatchObject({
      status: 404,
      body: { code: 'order-not-found' },
    })
    expect(await atTheCounter(path, body, stack().accessKey)).toMatchObject({
      status: 403,
      body: { code: 'not-allowed' },
    })
  }
})

test('orders: newest first, page by page', async () => {
  const placed: string[] = []
  for (let count = 0; count < 3; count++)
    placed.unshift((await sendOrder(await anOrder(cast.console))).body.apiKey)
  const first = await atTheCounter<RestaurantOrder[]>('orders?limit=2')
  expect(first.body.map(({ apiKey }) => apiKey)).toEqual(placed.slice(0, 2))
  const next = /^<\/restaurantapi\/v1\/(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1]
  const second = await atTheCounter<RestaurantOrder[]>(next ?? '')
  expect(second.body[0]?.apiKey).toBe(placed[2])
})
