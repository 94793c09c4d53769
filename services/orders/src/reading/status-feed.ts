import { Cancellation, OrderStatusRecord } from '@platter/contracts'
import { jsonRenderer, type ServerSentEvent } from '@platter/kit'
import { isOver, orderRecord } from '#/domain/order.ts'
import type { Feed } from '#/reading/stream-feed.ts'
import type { Stores } from '#/store/stores.ts'

const renderCancellation = jsonRenderer('order-statuses', Cancellation)

/**
 * The status history of an order, from an event. An event's id is its position in the history. A cancellation follows the last
 * status.
 */
export class StatusFeed implements Feed {
  isOver = false
  readonly #orders: Stores['orders']
  readonly #orderApiKey: string
  #next: number

  constructor(orders: Stores['orders'], orderApiKey: string, lastEventId: string | undefined) {
    this.#orders = orders
    this.#orderApiKey = orderApiKey
    this.#next = lastEventId !== undefined && /^\d{1,6}$/.test(lastEventId) ? Number(lastEventId) + 1 : 0
  }

  async *round(): AsyncGenerator<ServerSentEvent> {
    // Read before the history, so that the history of a finished order is complete.
    const order = await this.#orders.find(this.#orderApiKey)
    const history = await this.#orders.statuses(this.#orderApiKey)
    // The order failed before any client saw it, and is hidden.
    if (!order) return void (this.isOver = true)
    const { cancellation } = orderRecord(order)
    const known = history.length + (cancellation ? 1 : 0)
    // The id belongs to another order.
    if (this.#next > known) this.#next = 0
    for (const [position, { status, date }] of [...history.entries()].slice(this.#next)) {
      const record: OrderStatusRecord = { orderApiKey: this.#orderApiKey, status, date }
      yield { event: 'status', id: String(position), data: JSON.stringify(OrderStatusRecord.parse(record)) }
      this.#next = position + 1
    }
    if (cancellation && this.#next < known) {
      yield { event: 'cancellation', id: String(history.length), data: renderCancellation(cancellation) }
      this.#next = known
    }
    this.isOver = isOver(order)
  }
}
