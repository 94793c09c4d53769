import { RateLimiterRedis } from 'rate-limiter-flexible'
import { Cache } from '#/cache/cache.ts'
import { OptionalRedis } from '#/lifecycle/optional-redis.ts'
import { connectRedis } from '#/lifecycle/redis.ts'
import type { Quota, RateLimit, RatePolicy } from '#/limits/rate-limit.ts'
import type { Log } from '#/telemetry/log.ts'

const MAX_KEYS = 10_000

/** A report is sent after a 64th of the remaining requests: 46 of 3,000. Each of the last 64 requests is reported alone. */
const PARTS = 64

type Window = {
  /** The requests of all replicas at the last response of Redis, and those of this replica since. */
  counted: number
  /** The requests of this replica that Redis has not counted. */
  unreported: number
  /** The count at which the next report is sent. The first request is reported, so that the windows of all replicas end together. */
  reportAt: number
  isReporting: boolean
  /** The end of the window, by `performance.now()`. */
  until: number
}

/**
 * A rate limit in fixed windows with one count in Redis for all replicas. No request waits for Redis: each replica counts its own
 * requests, and reports them in the background, one command at a time for each key. The response has the requests of all replicas. A
 * replica exceeds the limit by at most a 64th, and by its requests within one round trip. Without Redis, each replica counts alone.
 * A key never receives less than its limit.
 */
export class SharedRateLimit implements RateLimit {
  readonly policy: RatePolicy
  readonly #redis: OptionalRedis
  readonly #common: RateLimiterRedis
  readonly #windows = new Cache<Window>({ maxEntries: MAX_KEYS })

  constructor(url: string, policy: RatePolicy, log: Log) {
    this.policy = policy
    // No command timeout: a busy replica reads a response late, and would count alone just when it is busy.
    this.#redis = new OptionalRedis(connectRedis(url, log, { commandTimeout: undefined }))
    this.#common = new RateLimiterRedis({
      storeClient: this.#redis.client,
      keyPrefix: 'rate',
      points: policy.requests,
      duration: policy.seconds,
    })
  }

  take(key: string): Quota {
    const window = this.#windowOf(key)
    const isAllowed = window.counted < this.policy.requests
    if (isAllowed) {
      window.counted += 1
      window.unreported += 1
      if (window.counted >= window.reportAt && !window.isReporting) void this.#report(key, window)
    }
    return {
      isAllowed,
      remaining: Math.max(0, this.policy.requests - window.counted),
      seconds: Math.max(1, Math.ceil((window.until - performance.now()) / 1_000)),
    }
  }

  close(): void {
    this.#redis.close()
  }

  #windowOf(key: string): Window {
    const known = this.#windows.get(key)
    const now = performance.now()
    if (known && now < known.until) return known
    const until = now + this.policy.seconds * 1_000
    const window = { counted: 0, unreported: 0, reportAt: 1, isReporting: false, until }
    this.#windows.set(key, window)
    return window
  }

  async #report(key: string, window: Window): Promise<void> {
    window.isReporting = true
    while (window.counted >= window.reportAt) {
      const common = await this.#redis.run(
        () => {
          const { unreported } = window
          // Not restored if the command fails: Redis may have counted it, and a key must never receive less than its limit.
          window.unreported = 0
          return this.#common.penalty(key, unreported)
        },
        () => null,
      )
      if (common === null) break
      const { consumedPoints, msBeforeNext } = common
      window.counted = consumedPoints + window.unreported
      window.until = performance.now() + msBeforeNext
      window.reportAt =
        consumedPoints + Math.max(1, Math.floor((this.policy.requests - consumedPoints) / PARTS))
    }
    window.isReporting = false
  }
}
