import type { Bus } from '@platter/bus'
import { OrderMoved } from '@platter/contracts'
import type { Standing } from '#/domain/order-state.ts'

/**
 * A pending request reads its order at this interval, because an event may be lost; while RabbitMQ is unavailable, there are none.
 * At 250 ms an order took six reads at a latency of 2.6 s.
 */
const READ_EVERY_MS = 1_000

/**
 * Requests on this replica that wait for their order. An event is a hint to read the row; the replica that committed the change
 * passes on the new standing itself.
 */
export class PendingRequests {
  readonly #bus: Pick<Bus, 'publishEvent'>
  readonly #byOrder = new Map<string, Set<PendingRequest>>()

  constructor(bus: Pick<Bus, 'publishEvent'>) {
    this.#bus = bus
  }

  /** Orders with a pending request. */
  get count(): number {
    return this.#byOrder.size
  }

  /** Wakes requests of all replicas that wait for the order, after it has changed. `standing`: where it stands, if known. */
  announce(orderApiKey: string, standing: Standing | null = null): void {
    this.wake(orderApiKey, standing)
    this.#bus.publishEvent(OrderMoved, {
      orderApiKey,
      ...(standing?.kind === 'failed' && { refusal: standing.refusal }),
    })
  }

  /** Handles the event of another replica. */
  moved({ orderApiKey, refusal }: OrderMoved): void {
    this.wake(orderApiKey, refusal && { kind: 'failed', refusal })
  }

  /** Wakes requests of this replica that wait for the order. */
  wake(orderApiKey: string, standing: Standing | null = null): void {
    for (const request of this.#byOrder.get(orderApiKey) ?? []) request.wake(standing)
  }

  /** Registers a request. To be called before the order is committed, or a wake-up could be missed; ended with `using`. */
  add(orderApiKey: string): PendingRequest {
    const requests = this.#byOrder.get(orderApiKey) ?? new Set()
    const request = new PendingRequest(() => {
      requests.delete(request)
      if (requests.size === 0) this.#byOrder.delete(orderApiKey)
    })
    this.#byOrder.set(orderApiKey, requests.add(request))
    return request
  }
}

/** A pending request. */
export class PendingRequest implements Disposable {
  readonly #end: () => void
  #woken = Promise.withResolvers<void>()
  #standing: Standing | null = null

  constructor(end: () => void) {
    this.#end = end
  }

  /** Where the order stands, as far as an event or this replica's own commit has reported it. */
  get known(): Standing | null {
    return this.#standing
  }

  /** `standing`: of the order now; null when it has to be read. */
  wake(standing: Standing | null = null): void {
    this.#standing = standing ?? this.#standing
    this.#woken.resolve()
  }

  /** Calls `read` at each wake-up with the last known standing, until it gives a result or the time is up (null). */
  async until<T>(
    read: (standing: Standing | null) => Promise<T | null>,
    withinMs: number,
  ): Promise<T | null> {
    const end = performance.now() + withinMs
    for (;;) {
      await this.#wakeUp(Math.min(READ_EVERY_MS, end - performance.now()))
      const found = await read(this.#standing)
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
