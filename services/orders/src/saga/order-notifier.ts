import type { Bus } from '@platter/bus'
import { OrderMoved } from '@platter/contracts'
import type { OrderResult } from '#/domain/order-state.ts'
import { Subscriptions, type Subscription } from '#/saga/subscriptions.ts'
import type { ChangeStore, Position } from '#/store/changes.ts'

type Deps = { bus: Pick<Bus, 'publishEvent'>; changes: ChangeStore }
type Changed = { apiKey: string; restaurantApiKey: string }

/**
 * Notifies pending requests and event streams of changed orders. A notification is a hint to read the rows. An event carries it to
 * all replicas in about a millisecond. If the event is lost, a pending request reads its order after a second, and `poll` finds the
 * change for event streams.
 */
export class OrderNotifier {
  readonly #deps: Deps
  readonly #pending = new Subscriptions()
  readonly #orders = new Subscriptions()
  readonly #restaurants = new Subscriptions()
  /** The position of the last poll, whose subscribers have received all changes below it. Null without event streams. */
  #polled: Position | null = null
  /** Subscriptions that were added since the last poll began, which did not include them. */
  #unpolled = new Set<Subscription>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The number of orders with a pending request. */
  get pendingCount(): number {
    return this.#pending.size
  }

  /** Subscribes a pending request to the order. Call it before the order is committed. */
  addPendingRequest(orderApiKey: string): Subscription {
    return this.#pending.add(orderApiKey)
  }

  /** Subscribes an event stream to the order. */
  subscribeToOrder(apiKey: string): Subscription {
    return this.#subscribe(this.#orders, apiKey)
  }

  /** Subscribes an event stream to all orders of the restaurant. */
  subscribeToRestaurant(apiKey: string): Subscription {
    return this.#subscribe(this.#restaurants, apiKey)
  }

  /** Notifies all replicas of a change. `result`: the result of the order, if known, so that pending requests here need no read. */
  publish({ apiKey, restaurantApiKey }: Changed, result: OrderResult | null = null): void {
    this.#pending.wake(apiKey, result)
    this.#deps.bus.publishEvent(OrderMoved, {
      orderApiKey: apiKey,
      restaurantApiKey,
      ...(result?.kind === 'failed' && { refusal: result.refusal }),
    })
  }

  /** Handles the event of any replica, including this one. */
  receive({ orderApiKey, restaurantApiKey, refusal }: OrderMoved): void {
    this.#pending.wake(orderApiKey, refusal && { kind: 'failed', refusal })
    this.#orders.wake(orderApiKey)
    if (restaurantApiKey) this.#restaurants.wake(restaurantApiKey)
  }

  /** Wakes the event streams of orders that have changed since the last poll, with one query, or none without event streams. */
  async poll(): Promise<void> {
    if (this.#orders.size + this.#restaurants.size === 0) {
      this.#polled = null
      this.#unpolled.clear()
      return
    }
    const unpolled = this.#unpolled
    this.#unpolled = new Set()
    try {
      const since = this.#polled
      const changed = await this.#deps.changes.changedSince(since ?? '0', {
        orders: since === null ? [] : this.#orders.keys,
        restaurants: since === null ? [] : this.#restaurants.keys,
      })
      this.#polled = changed.position
      for (const apiKey of changed.orders) this.#orders.wake(apiKey)
      for (const apiKey of changed.restaurants) this.#restaurants.wake(apiKey)
      for (const subscription of unpolled) subscription.wake()
    } catch (error) {
      this.#unpolled = this.#unpolled.union(unpolled)
      throw error
    }
  }

  #subscribe(subscriptions: Subscriptions, apiKey: string): Subscription {
    const subscription = subscriptions.add(apiKey)
    this.#unpolled.add(subscription)
    return subscription
  }
}
