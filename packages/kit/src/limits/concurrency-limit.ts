import { Problem } from '#/http/problem.ts'
import { observe } from '#/telemetry/metrics.ts'

type Settings = {
  /** Permits of all keys together. One key has at most two thirds of them, see `isAvailable`. */
  permits?: number
  /** The maximum number of permits of one key. */
  permitsPerKey?: number
  /** The maximum number of pending requests of one key. */
  pendingPerKey?: number
}

type Pending = { key: string | undefined; grant: (permit: Permit) => void }
type Usage = { inUse: number; pending: number }

/**
 * Limits the work in progress. Each key (an application, a restaurant, an address) has its share. Work that waits for another
 * system (a card processor, a restaurant) suspends its permit, so that the permits in use measure only this process's delay
 * (Little's law). Each process has its own count.
 */
export class ConcurrencyLimit {
  #permits: number
  readonly #permitsPerKey: number
  readonly #pendingPerKey: number
  #inUse = 0
  readonly #usage = new Map<string | undefined, Usage>()
  /** In order of arrival. */
  readonly #pending = new Set<Pending>()

  constructor({ permits = Infinity, permitsPerKey = Infinity, pendingPerKey = Infinity }: Settings) {
    this.#permits = permits
    this.#permitsPerKey = permitsPerKey
    this.#pendingPerKey = pendingPerKey
  }

  get permits(): number {
    return this.#permits
  }

  protected set permits(permits: number) {
    this.#permits = permits
  }

  get inUse(): number {
    return this.#inUse
  }

  /**
   * Whether the key may acquire a permit. A key may have at most twice as many permits as are free. So one key has at most two
   * thirds of all permits, and each other key can still acquire some (dynamic thresholds, as in the shared memory of network
   * switches).
   */
  isAvailable(key?: string): boolean {
    const left = this.#permits - this.#inUse
    const own = key === undefined ? 0 : (this.#usage.get(key)?.inUse ?? 0)
    return left > 0 && own < Math.min(this.#permitsPerKey, 2 * left)
  }

  /** Acquires a permit. Throws Problem overloaded if no permit is available. */
  acquire(key?: string): Permit {
    const permit = this.tryAcquire(key)
    if (!permit) throw overloaded()
    return permit
  }

  /** Acquires a permit. Returns null if no permit is available. */
  tryAcquire(key?: string): Permit | null {
    return this.isAvailable(key) ? this.#permit(key) : null
  }

  /** Waits for a permit. Permits are granted in order of arrival. */
  async wait(key?: string): Promise<Permit> {
    return this.tryAcquire(key) ?? this.#enqueue(key)
  }

  /**
   * Like `wait`, but for at most `waitMs`. Returns null if no permit was free in time, or if too many requests of the key are
   * pending.
   */
  async waitAtMost(waitMs: number, key?: string): Promise<Permit | null> {
    const permit = this.tryAcquire(key)
    if (permit || this.#usageOf(key).pending >= this.#pendingPerKey) return permit
    return this.#enqueue(key, waitMs)
  }

  /** Waits for a permit and does the work with it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const permit = await this.wait()
    try {
      return await work()
    } finally {
      permit.release()
    }
  }

  /** Returns the function that a permit calls when its work is complete, see `AdaptiveLimit`. */
  protected reporter(): (isOverloaded: boolean) => void {
    return () => undefined
  }

  #permit(key: string | undefined): Permit {
    return new Permit((change) => this.#count(key, change), this.reporter())
  }

  #enqueue(key: string | undefined): Promise<Permit>
  #enqueue(key: string | undefined, waitMs: number): Promise<Permit | null>
  #enqueue(key: string | undefined, waitMs?: number): Promise<Permit | null> {
    const { promise, resolve } = Promise.withResolvers<Permit | null>()
    const usage = this.#usageOf(key)
    const end = (permit: Permit | null) => {
      clearTimeout(timer)
      usage.pending -= 1
      this.#pending.delete(pending)
      this.#deleteUnused(key, usage)
      resolve(permit)
    }
    const pending = { key, grant: end }
    const timer = waitMs === undefined ? undefined : setTimeout(end, waitMs, null)
    usage.pending += 1
    this.#usage.set(key, usage)
    this.#pending.add(pending)
    return promise
  }

  #count(key: string | undefined, change: 1 | -1): void {
    this.#inUse += change
    const usage = this.#usageOf(key)
    usage.inUse += change
    this.#usage.set(key, usage)
    this.#deleteUnused(key, usage)
    if (change === -1) this.#grantNext()
  }

  #grantNext(): void {
    for (const { key, grant } of this.#pending) if (this.isAvailable(key)) return grant(this.#permit(key))
  }

  #usageOf(key: string | undefined): Usage {
    return this.#usage.get(key) ?? { inUse: 0, pending: 0 }
  }

  #deleteUnused(key: string | undefined, { inUse, pending }: Usage): void {
    if (inUse === 0 && pending === 0) this.#usage.delete(key)
  }
}

/** Exports gauges of limits, summed over all keys. Each replica reports its own values. */
export function observeLimits(
  limits: () => Iterable<readonly [name: string, limit: ConcurrencyLimit]>,
): void {
  observe(['platter.permits.in_use', 'platter.permits.limit'], (report) => {
    for (const [name, { inUse, permits }] of limits()) {
      report('platter.permits.in_use', inUse, { 'platter.limit.name': name })
      report('platter.permits.limit', permits, { 'platter.limit.name': name })
    }
  })
}

/** The right to do one unit of work. Repeated calls of `release` have no effect. */
export class Permit implements Disposable {
  readonly #count: (change: 1 | -1) => void
  readonly #report: (isOverloaded: boolean) => void
  #isInUse = true
  #isReleased = false
  #usedMs = 0
  #usedSince = performance.now()

  constructor(count: (change: 1 | -1) => void, report: (isOverloaded: boolean) => void) {
    this.#count = count
    this.#report = report
    count(1)
  }

  /**
   * Suspends the permit during a wait for another system. Acquires it again afterwards, even above the limit, because work in
   * progress is not rejected.
   */
  async suspend<T>(wait: () => Promise<T>): Promise<T> {
    this.#setInUse(false)
    try {
      return await wait()
    } finally {
      this.#setInUse(!this.#isReleased)
    }
  }

  /** The milliseconds in which the permit was in use: the duration of the work without waits for other systems. */
  get usedMs(): number {
    return this.#usedMs + (this.#isInUse ? performance.now() - this.#usedSince : 0)
  }

  /** Releases the permit after a response, and reports whether the service was overloaded. */
  recordResponse(isOverloaded: boolean): void {
    this.#report(isOverloaded)
    this.release()
  }

  release(): void {
    this.#isReleased = true
    this.#setInUse(false)
  }

  [Symbol.dispose](): void {
    this.release()
  }

  #setInUse(isInUse: boolean): void {
    if (this.#isInUse === isInUse) return
    this.#usedMs = this.usedMs
    this.#usedSince = performance.now()
    this.#isInUse = isInUse
    this.#count(isInUse ? 1 : -1)
  }
}

/** Set on a response to the gateway: this process is overloaded and should receive fewer requests. */
export const OVERLOADED_HEADER = 'x-platter-overloaded'

/** No side effects; safe to retry. `Retry-After` is jittered over 1 to 3 s, so that clients do not retry together. */
export const overloaded = () =>
  new Problem('overloaded', 'The service is overloaded. Retry after the time in Retry-After.', {
    retryAfterSeconds: 1 + Math.floor(Math.random() * 3),
  })
