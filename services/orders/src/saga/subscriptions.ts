import type { OrderResult } from '#/domain/order-state.ts'

/**
 * A subscription's owner reads its order again after this time at the latest, because an event may be lost; while RabbitMQ is
 * unavailable, there are none. At 250 ms an order took six reads at a latency of 2.6 s.
 */
const READ_EVERY_MS = 1_000

/** Subscriptions of this replica, by the key of an order or of a restaurant. */
export class Subscriptions {
  readonly #byKey = new Map<string, Set<Subscription>>()

  /** Keys with a subscription. */
  get keys(): readonly string[] {
    return [...this.#byKey.keys()]
  }

  get size(): number {
    return this.#byKey.size
  }

  /** To be called before the first read, or a change could be missed; the subscription ends with `using`. */
  add(key: string): Subscription {
    const subscriptions = this.#byKey.get(key) ?? new Set()
    const subscription = new Subscription(() => {
      subscriptions.delete(subscription)
      if (subscriptions.size === 0 && this.#byKey.get(key) === subscriptions) this.#byKey.delete(key)
    })
    this.#byKey.set(key, subscriptions.add(subscription))
    return subscription
  }

  wake(key: string, result: OrderResult | null = null): void {
    for (const subscription of this.#byKey.get(key) ?? []) subscription.wake(result)
  }
}

/** A wake-up is a hint that the rows have changed. It may have no cause. */
export class Subscription implements Disposable {
  readonly #end: () => void
  #woken = Promise.withResolvers<void>()
  #result: OrderResult | null = null

  constructor(end: () => void) {
    this.#end = end
  }

  /** The result of the order, as far as an event or this replica's own commit has reported it. */
  get known(): OrderResult | null {
    return this.#result
  }

  /** `result`: of the order now; null when it has to be read. */
  wake(result: OrderResult | null = null): void {
    this.#result = result ?? this.#result
    this.#woken.resolve()
  }

  /** Calls `read` at each wake-up with the last known result, until it returns one or the time is up (null). */
  async until<T>(
    read: (result: OrderResult | null) => Promise<T | null>,
    withinMs: number,
  ): Promise<T | null> {
    const end = performance.now() + withinMs
    for (;;) {
      const timer = setTimeout(this.#woken.resolve, Math.min(READ_EVERY_MS, end - performance.now()))
      await this.#woken.promise
      clearTimeout(timer)
      this.#woken = Promise.withResolvers()
      const found = await read(this.#result)
      if (found !== null || performance.now() >= end) return found
    }
  }

  /** Resolves when there was a wake-up since the last call; rejects when the signal is aborted. */
  async woken(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const stop = () => this.#woken.reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      await this.#woken.promise
      this.#woken = Promise.withResolvers()
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  [Symbol.dispose](): void {
    this.#end()
  }
}
