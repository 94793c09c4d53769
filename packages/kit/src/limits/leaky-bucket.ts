import { Cache } from '#/cache/cache.ts'
import type { Quota, RateLimit, RatePolicy } from '#/limits/rate-limit.ts'

const MAX_KEYS = 10_000

/**
 * A rate limit that spreads requests evenly: a leaky bucket as a meter. Unused capacity lasts for one window. Fixed windows would
 * admit all requests at the start of a window, and requests of other keys would queue behind them
 * (docs/decisions/0031-admission-control.md). Each replica has its own count.
 */
export class LeakyBucket implements RateLimit {
  readonly policy: RatePolicy
  readonly #windowMs: number
  /** The level of each key's bucket at the time `at`, by `performance.now()`. */
  readonly #levels = new Cache<{ requests: number; at: number }>({ maxEntries: MAX_KEYS })
  /** The end of the window of the last rejection. */
  #usedUpUntil = 0

  constructor(policy: RatePolicy) {
    this.policy = policy
    this.#windowMs = policy.seconds * 1_000
  }

  /** Counts a request if it is within the limit. */
  take(key: string): Quota {
    const now = performance.now()
    const requests = this.#withOneMore(key, now)
    if (requests === null) return this.#noneLeft
    this.#levels.set(key, { requests, at: now })
    const remaining = Math.floor(this.policy.requests - requests)
    return { isAllowed: true, remaining, seconds: this.policy.seconds }
  }

  get isAnyUsedUp(): boolean {
    return performance.now() < this.#usedUpUntil
  }

  usedUp(key: string): Quota | null {
    return this.#withOneMore(key, performance.now()) === null ? this.#noneLeft : null
  }

  get #noneLeft(): Quota {
    return { isAllowed: false, remaining: 0, seconds: this.policy.seconds }
  }

  /** Returns the level of a key's bucket after one more request; null if that is above the limit. */
  #withOneMore(key: string, now: number): number | null {
    const level = this.#levels.get(key) ?? { requests: 0, at: now }
    const leaked = ((now - level.at) / this.#windowMs) * this.policy.requests
    const requests = Math.max(0, level.requests - leaked) + 1
    if (requests <= this.policy.requests) return requests
    this.#usedUpUntil = now + this.#windowMs
    return null
  }
}
