import type { Bus } from '@platter/bus'
import { OrderMoved } from '@platter/contracts'
import type { OrderResult } from '#/domain/order-state.ts'
import { Subscriptions } from '#/saga/subscriptions.ts'
import type { Stores } from '#/store/stores.ts'
import type { Position } from '#/store/changes.ts'

type Deps = { bus: Pick<Bus, 'publishEvent'>; changes: Stores['changes'] }
type Changed = { apiKey: string; restaurantApiKey: string }

/**
 * Notifies pending requests and event streams of changed orders. A notification is a hint to read the rows. An event carries it to
 * all replicas in about a millisecond. If the event is lost, a pending request reads its order after a second, and `poll` finds the
 * change for event streams.
 */
export class OrderNotifier {
  readonly #deps: Deps
  /** Pending requests, by the order. A request subscribes before its order is committed. */
  readonly pending = new Subscriptions()
  /** Event streams of an order, and of all orders of a restaurant. */
  readonly orders = new Subscriptions()
  readonly restaurants = new Subscriptions()
  /** The position before the last poll: all event streams have received, or will read, the changes below it. Null without streams. */
  #polled: Position | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Notifies all replicas of a change. `result`: the result of the order, if known, so that pending requests here need no read. */
  publish({ apiKey, restaurantApiKey }: Changed, result: OrderResult | null = null): void {
    this.pending.wake(apiKey, result)
    this.#deps.bus.publishEvent(OrderMoved, {
      orderApiKey: apiKey,
      restaurantApiKey,
      ...(result?.kind === 'failed' && { refusal: result.refusal }),
    })
  }

  /** Handles the event of any replica, including this one. */
  receive({ orderApiKey, restaurantApiKey, refusal }: OrderMoved): void {
    this.pending.wake(orderApiKey, refusal && { kind: 'failed', refusal })
    this.orders.wake(orderApiKey)
    if (restaurantApiKey) this.restaurants.wake(restaurantApiKey)
  }

  /** Wakes the event streams of orders that have changed since the last poll; the first poll wakes all. No query without streams. */
  async poll(): Promise<void> {
    if (this.orders.size + this.restaurants.size === 0) {
      this.#polled = null
      return
    }
    const { changes } = this.#deps
    const since = this.#polled
    // Read before the keys, so that the next poll includes the changes since the first read of a stream that these lack.
    const position = await changes.position()
    const all = { orders: this.orders.keys, restaurants: this.restaurants.keys }
    const changed = since === null ? all : await changes.changedSince(since, all)
    for (const apiKey of changed.orders) this.orders.wake(apiKey)
    for (const apiKey of changed.restaurants) this.restaurants.wake(apiKey)
    this.#polled = position
  }
}
