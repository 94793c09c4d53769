import { OrderMoved } from '@platter/contracts'
import { expect, test } from 'vitest'
import type { OrderResult } from '#/domain/order-state.ts'
import { OrderNotifier } from '#/saga/order-notifier.ts'
import { pricedOrder } from '#/testing/priced-order.ts'
import type { Stores } from '#/store/stores.ts'

const order = { apiKey: 'a'.repeat(48), restaurantApiKey: 'b'.repeat(48) }
const refusal = { code: 'card-declined', detail: 'The card was declined.' } as const
const failed: OrderResult = { kind: 'failed', refusal }

/** Two replicas, and the events between them as they are on the wire. */
function twoReplicas() {
  const changes = {} as Stores['changes']
  const other = new OrderNotifier({ changes, bus: { publishEvent: () => undefined } })
  const bus = { publishEvent: (_event: unknown, data: unknown) => other.receive(OrderMoved.data.parse(data)) }
  const own = new OrderNotifier({ changes, bus })
  return { own, other }
}

test('an event carries the failure of an order to a pending request on another replica', async () => {
  const { own, other } = twoReplicas()
  using request = other.pending.add(order.apiKey)
  const found = request.until(async (known) => known, 10_000)
  own.publish(order, failed)
  expect(await found).toEqual(failed)
  expect(request.known).toEqual(failed)
})

test('an event without a result makes a pending request read its order', async () => {
  const { own, other } = twoReplicas()
  using request = other.pending.add(order.apiKey)
  const found = request.until(async (known) => known ?? 'read the row', 10_000)
  own.publish(order)
  expect(await found).toBe('read the row')
  expect(request.known).toBeNull()
})

test('a pending request reads its order at each wake-up after a pending result', async () => {
  const { own } = twoReplicas()
  using request = own.pending.add(order.apiKey)
  const results: unknown[] = []
  const found = request.until(async (known) => {
    results.push(known)
    // The event of another replica, which has no result.
    if (known) own.receive({ orderApiKey: order.apiKey })
    return known ? null : 'read the row'
  }, 10_000)
  const pending = { kind: 'pending', order: pricedOrder({}) } as OrderResult
  own.publish(order, pending)
  expect(await found).toBe('read the row')
  expect(results).toEqual([pending, null])
})

test('an event wakes the streams of its order and restaurant on another replica, and no others', async () => {
  const { own, other } = twoReplicas()
  using ofOrder = other.orders.add(order.apiKey)
  using ofRestaurant = other.restaurants.add(order.restaurantApiKey)
  using elsewhere = other.restaurants.add('c'.repeat(48))
  own.publish(order)
  const end = new AbortController()
  const woken: string[] = []
  const streams = Object.entries({ ofOrder, ofRestaurant, elsewhere })
  const ended = streams.map(([name, stream]) =>
    stream.woken(end.signal).then(
      () => woken.push(name),
      () => 'ended',
    ),
  )
  await Promise.all([ended[0], ended[1]])
  end.abort()
  await Promise.all(ended)
  expect(woken).toEqual(['ofOrder', 'ofRestaurant'])
})

test('a poll finds the lost event of an order whose stream began while the last poll ran', async () => {
  const since: string[] = []
  let position = 10
  const inQuery: (() => void)[] = []
  const changes: Stores['changes'] = {
    position: async () => String(position),
    async changedSince(from, { orders }) {
      inQuery.shift()?.()
      since.push(from)
      // The order of the late stream changes at 25.
      return { orders: orders.filter((key) => key === 'late' && Number(from) <= 25), restaurants: [] }
    },
  }
  const notifier = new OrderNotifier({ changes, bus: { publishEvent: () => undefined } })
  using early = notifier.orders.add('early')
  await notifier.poll()
  await early.woken(new AbortController().signal)
  position = 20
  const late = Promise.withResolvers<void>()
  inQuery.push(() => {
    const stream = notifier.orders.add('late')
    void stream.woken(new AbortController().signal).then(late.resolve)
    position = 30
  })
  await notifier.poll()
  await notifier.poll()
  expect(since).toEqual(['10', '20'])
  await late.promise
})
