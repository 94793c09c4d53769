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

  constructor(policy: RatePolicy) {
    this.policy = policy
    this.#windowMs = policy.seconds * 1_000
  }

  take(key: string): Quota {
    const now = performance.now()
    const level = this.#levels.get(key) ?? { requests: 0, at: now }
    const leaked = ((now - level.at) / this.#windowMs) * this.policy.requests
    const requests = Math.max(0, level.requests - leaked) + 1
    const { seconds } = this.policy
    if (requests > this.policy.requests) return { isAllowed: false, remaining: 0, seconds }
    this.#levels.set(key, { requests, at: now })
    return { isAllowed: true, remaining: Math.floor(this.policy.requests - requests), seconds }
  }
}
