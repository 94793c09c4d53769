import { setTimeout as wait } from 'node:timers/promises'
import type { Stack } from '../../dev/stack.ts'
import { sendTo } from './api.ts'
import { Stream } from './event-stream.ts'
import { seedRestaurants } from './fixtures.ts'

type Order = { apiKey: string; status: string; cancellation: unknown }

export type RestaurantPage = ReturnType<typeof openRestaurantPage>

/** Opens the web page of a restaurant. It reads the event stream of the orders, and reconnects after each cut. */
export function openRestaurantPage({ gateways, file }: Pick<Stack, 'gateways' | 'file'>) {
  const key = file.restaurants.find(({ apiKey }) => apiKey === seedRestaurants.aurora)!.accessKey
  const streams: Stream[] = []
  const closing = new AbortController()
  const { signal } = closing

  async function follow(): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      const url = `${gateways[turn % gateways.length]}/restaurantapi/v1/orders/stream`
      const lastEventId = streams.findLast(({ events }) => events.length > 0)?.lastEventId
      const stream = await Stream.open(url, { key, lastEventId, signal }).catch(() => null)
      if (stream?.status === 200) {
        streams.push(stream)
        await stream.ended()
      }
      await wait(100, undefined, { signal }).catch(() => 'closed')
    }
  }
  const following = follow()

  /** Returns the latest state of each order. */
  function readOrders(): Map<string, Order> {
    const orders = streams.flatMap(({ events }) =>
      events.filter(({ event }) => event === 'order').map(({ data }) => data as Order),
    )
    return new Map(orders.map((order) => [order.apiKey, order]))
  }

  return {
    readOrders,
    /** Returns the number of reconnections. */
    reconnections: () => streams.filter(({ isOver }) => isOver).length,
    /** Returns the newest orders that differ between the page and the list of orders. Without any, the page is correct. */
    async missing(): Promise<string[]> {
      const url = `${gateways[0]}/restaurantapi/v1/orders?limit=200`
      const { body: list } = await sendTo<Order[]>(url, { key })
      const orders = readOrders()
      return list.flatMap((order) => {
        const shown = orders.get(order.apiKey)
        const isSame = shown?.status === order.status && !shown.cancellation === !order.cancellation
        return isSame ? [] : [`${order.apiKey} ${shown?.status ?? 'nowhere'}, not ${order.status}`]
      })
    },
    async close(): Promise<void> {
      closing.abort()
      await following
    },
  }
}
