import type { OrderResult } from '#/domain/order-state.ts'

/**
 * The owner of a subscription reads its order again after this time at the latest, because an event may be lost. While RabbitMQ is
 * unavailable, there are no events. At 250 ms, an order with a latency of 2.6 s took six reads.
 */
const READ_EVERY_MS = 1_000

/** The subscriptions of this replica, by the key of an order or of a restaurant. */
export class Subscriptions {
  readonly #byKey = new Map<string, Set<Subscription>>()

  /** The keys with a subscription. */
  get keys(): readonly string[] {
    return [...this.#byKey.keys()]
  }

  get size(): number {
    return this.#byKey.size
  }

  /** Adds a subscription. Call it before the first read, otherwise a change could be missed. The subscription ends with `using`. */
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

/** A subscription receives wake-ups: hints that the rows may have changed. */
export class Subscription implements Disposable {
  readonly #end: () => void
  #woken = Promise.withResolvers<void>()
  #result: OrderResult | null = null

  constructor(end: () => void) {
    this.#end = end
  }

  /** The result of the order, as reported by an event or by this replica's own commit; null if unknown. */
  get known(): OrderResult | null {
    return this.#result
  }

  /** `result`: the current result of the order; null if it must be read. */
  wake(result: OrderResult | null = null): void {
    this.#result = result ?? this.#result
    this.#woken.resolve()
  }

  /** Calls `read` at each wake-up with the last known result, until `read` returns a value or the deadline passes (null). */
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
      const result = this.#result
      // It may have changed by the next wake-up, and the event of another replica contains only a failure.
      if (result?.kind === 'pending') this.#result = null
      const found = await read(result)
      if (found !== null || performance.now() >= end) return found
    }
  }

  /** Resolves if a wake-up occurred since the last call. Rejects when the signal is aborted. */
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
