import type { Bus } from '@platter/bus'
import { OrderMoved } from '@platter/contracts'
import type { Standing } from '#/domain/order-state.ts'

/**
 * A pending request reads its order at this interval, because an event may be lost; while RabbitMQ is unavailable, there are none.
 * At 250 ms an order took six reads at a latency of 2.6 s.
 */
const LOOK_EVERY_MS = 1_000

/**
 * Requests on this replica that wait for their order. An event is a hint to read the row; the replica that committed the change
 * passes on the new standing itself.
 */
export class Waiters {
  readonly #bus: Pick<Bus, 'nudge'>
  readonly #watches = new Map<string, Set<Watch>>()

  constructor(bus: Pick<Bus, 'nudge'>) {
    this.#bus = bus
  }

  /** Orders with a pending request. */
  get count(): number {
    return this.#watches.size
  }

  /** Wakes requests of all replicas that wait for the order, after it has changed. `standing`: where it stands, if known. */
  announce(orderApiKey: string, standing: Standing | null = null): void {
    this.wake(orderApiKey, standing)
    this.#bus.nudge(OrderMoved, { orderApiKey })
  }

  /** Wakes requests of this replica that wait for the order. */
  wake(orderApiKey: string, standing: Standing | null = null): void {
    for (const watch of this.#watches.get(orderApiKey) ?? []) watch.wake(standing)
  }

  /**
   * Registers a request. To be called before the order is committed, or a wake-up could be missed; ended with `using`.
   */
  watch(orderApiKey: string): Watch {
    const watches = this.#watches.get(orderApiKey) ?? new Set()
    const watch = new Watch(() => {
      watches.delete(watch)
      if (watches.size === 0) this.#watches.delete(orderApiKey)
    })
    this.#watches.set(orderApiKey, watches.add(watch))
    return watch
  }
}

/** A pending request. */
export class Watch implements Disposable {
  readonly #end: () => void
  #woken = Promise.withResolvers<void>()
  #told: Standing | null = null

  constructor(end: () => void) {
    this.#end = end
  }

  /** `standing`: of the order now; null when it has to be read. */
  wake(standing: Standing | null = null): void {
    this.#told = standing ?? this.#told
    this.#woken.resolve()
  }

  /** Calls `read` at each wake-up with the last known standing, until it gives a result or the time is up (null). */
  async until<T>(read: (told: Standing | null) => Promise<T | null>, withinMs: number): Promise<T | null> {
    const end = performance.now() + withinMs
    for (;;) {
      await this.#wakeUp(Math.min(LOOK_EVERY_MS, end - performance.now()))
      const found = await read(this.#told)
      if (found !== null || performance.now() >= end) return found
    }
  }

  [Symbol.dispose](): void {
    this.#end()
  }

  async #wakeUp(withinMs: number): Promise<void> {
    const timer = setTimeout(this.#woken.resolve, withinMs)
    await this.#woken.promise
    clearTimeout(timer)
    this.#woken = Promise.withResolvers()
  }
}
