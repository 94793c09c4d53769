import { setTimeout as wait } from 'node:timers/promises'
import { sendTo } from './api.ts'
import { Stream, type StreamEvent } from './event-stream.ts'

type Order = { apiKey: string; status: string; cancellation: unknown }

/** A restaurant's web page. It reads the event stream, reconnects after each cut, and keeps the latest state of each order. */
export class RestaurantPage {
  readonly orders = new Map<string, Order>()
  /** The number of reconnections. */
  reconnections = 0
  readonly #gateways: readonly string[]
  readonly #key: string
  readonly #closing = new AbortController()
  readonly #done: Promise<void>

  constructor(gateways: readonly string[], key: string) {
    this.#gateways = gateways
    this.#key = key
    this.#done = this.#follow()
  }

  /**
   * Returns the newest orders that differ between the page and the list of orders. An empty result means that the page is correct.
   */
  async missing(): Promise<string[]> {
    const url = `${this.#gateways[0]}/restaurantapi/v1/orders?limit=200`
    const { body: list } = await sendTo<Order[]>(url, { key: this.#key })
    return list.flatMap((order) => {
      const shown = this.orders.get(order.apiKey)
      const isSame = shown?.status === order.status && !shown.cancellation === !order.cancellation
      return isSame ? [] : [`${order.apiKey} ${shown?.status ?? 'nowhere'}, not ${order.status}`]
    })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#done
  }

  async #follow(): Promise<void> {
    let last: string | undefined
    const { signal } = this.#closing
    for (let turn = 0; !signal.aborted; turn++) {
      const gateway = this.#gateways[turn % this.#gateways.length]
      const url = `${gateway}/restaurantapi/v1/orders/stream`
      const stream = await Stream.open(url, { key: this.#key, lastEventId: last, signal }).catch(() => null)
      if (stream?.status === 200) last = (await this.#read(stream)) ?? last
      await wait(100, undefined, { signal }).catch(() => 'closed')
    }
  }

  /** Reads until the stream is cut. Returns the id at which to continue. */
  async #read(stream: Stream): Promise<string | undefined> {
    stream.onEvent = ({ event, data }: StreamEvent) => {
      if (event === 'order') this.orders.set((data as Order).apiKey, data as Order)
    }
    await stream.ended()
    this.reconnections++
    return stream.lastEventId
  }
}
