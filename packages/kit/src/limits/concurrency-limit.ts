import { audienceOf } from '@platter/contracts'
import type { App } from '#/http/app.ts'
import { Problem } from '#/http/problem.ts'

/**
 * A limit to the client work that a process does at the same time. Work that waits for another system (a card processor, a
 * restaurant) gives its permit back meanwhile, so that the permits in use measure the process's own delay (Little's law).
 */
export class ConcurrencyLimit {
  #limit: number
  #inUse = 0
  readonly #ofApplications = new Map<string, number>()

  /** `limit`: permits that there are. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get limit(): number {
    return this.#limit
  }

  protected set limit(limit: number) {
    this.#limit = limit
  }

  protected get inUse(): number {
    return this.#inUse
  }

  /**
   * Whether a permit may be acquired. Not by an application that has twice as many as are left: it gets two thirds of all at
   * most, and something is left for the others, however many send too much (dynamic thresholds, as switches share their memory).
   */
  isAvailable(applicationId?: string): boolean {
    const left = this.#limit - this.#inUse
    const own = applicationId === undefined ? 0 : (this.#ofApplications.get(applicationId) ?? 0)
    return left > 0 && own < 2 * left
  }

  /** Whether a permit may be unavailable to some application. */
  get isNearlyReached(): boolean {
    return this.#inUse * 3 >= this.#limit * 2
  }

  /** Acquires a permit. Throws Problem overloaded when none is available. */
  acquire(applicationId?: string): Permit {
    if (!this.isAvailable(applicationId)) throw overloaded()
    return new Permit((change) => this.#count(applicationId, change))
  }

  #count(applicationId: string | undefined, change: 1 | -1): void {
    this.#inUse += change
    if (applicationId === undefined) return
    const own = (this.#ofApplications.get(applicationId) ?? 0) + change
    if (own > 0) this.#ofApplications.set(applicationId, own)
    else this.#ofApplications.delete(applicationId)
  }
}

/** The right to do one piece of work. Released once, however often `release` is called. */
export class Permit implements Disposable {
  readonly #count: (change: 1 | -1) => void
  #isInUse = true
  #isReleased = false
  #usedMs = 0
  #usedSince = performance.now()

  constructor(count: (change: 1 | -1) => void) {
    this.#count = count
    count(1)
  }

  /**
   * Waits for another system without the permit. Acquires it again afterwards, above the limit if need be: work that has begun
   * is not refused.
   */
  async suspend<T>(wait: () => Promise<T>): Promise<T> {
    this.#setInUse(false)
    try {
      return await wait()
    } finally {
      this.#setInUse(!this.#isReleased)
    }
  }

  /** Milliseconds in which the permit was in use: the duration of the work without its waits for other systems. */
  get usedMs(): number {
    return this.#usedMs + (this.#isInUse ? performance.now() - this.#usedSince : 0)
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

/** On an answer to the gateway, a rejection or any other one: this process is late with its own work, and should be sent less. */
export const OVERLOADED_HEADER = 'x-platter-overloaded'

/** No side effects; safe to retry. `Retry-After` is jittered over 1 to 3 s, so that clients do not come back together. */
export const overloaded = () =>
  new Problem('overloaded', 'The service is overloaded. Retry after the time in Retry-After.', {
    retryAfterSeconds: 1 + Math.floor(Math.random() * 3),
  })

/** At 3,000 reads a second 512 at a time are 0.17 s behind. */
const READS = 512

/** Limits the reads of applications. Restaurants and operators go first. */
export function limitReads(app: App): void {
  const limit = new ConcurrencyLimit(READS)
  app.addHook('onRequest', async ({ method, url }, { raw }) => {
    if (method !== 'GET' || audienceOf(url) !== 'application') return
    const permit = limit.acquire()
    raw.once('close', () => permit.release())
  })
}
