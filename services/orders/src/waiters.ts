import type { Bus } from '@platter/bus'
import { OrderMoved } from '@platter/contracts'
import type { Standing } from '#/domain/order-state.ts'

/**
 * A pending request reads its order at least so often, should a wake-up be lost: without RabbitMQ there is none. Each 250 ms, an
 * order took six reads at a latency of 2.6 s.
 */
const LOOK_EVERY_MS = 1_000

/**
 * Requests on this replica that wait for their order. A wake-up is a nudge only, and the row is the answer, unless it comes
 * from the very commit that moved the order: that tells what the row says now.
 */
export class Waiters {
  readonly #bus: Pick<Bus, 'nudge'>
  readonly #watches = new Map<string, Set<Watch>>()

  constructor(bus: Pick<Bus, 'nudge'>) {
    this.#bus = bus
  }

  /** Orders that somebody waits for. */
  get count(): number {
    return this.#watches.size
  }

  /** Wakes requests of all replicas that wait for the order, after it has changed. `standing`: where it stands, if known. */
  announce(orderApiKey: string, standing: Standing | null = null): void {
    this.wake(orderApiKey, standing)
    this.#bus.nudge(OrderMoved, { orderApiKey })
  }

  /** Wakes those who wait for the order here, and tells them where it stands, where that is known. */
  wake(orderApiKey: string, standing: Standing | null = null): void {
    for (const watch of this.#watches.get(orderApiKey) ?? []) watch.wake(standing)
  }

  /**
   * Hears of the order from now on: begun before the order is committed, no wake-up falls between. To be ended with
   * `using`.
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

/** One who waits for an order. */
export class Watch implements Disposable {
  readonly #end: () => void
  #woken = Promise.withResolvers<void>()
  #told: Standing | null = null

  constructor(end: () => void) {
    this.#end = end
  }

  /** There is something to be read, or told. */
  wake(standing: Standing | null = null): void {
    this.#told = standing ?? this.#told
    this.#woken.resolve()
  }

  /** Calls `read` at each wake-up with what was told last, until it gives something or the time is up (null). */
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
