import { RateLimiterRedis } from 'rate-limiter-flexible'
import { Cache } from '#/cache/cache.ts'
import { OptionalRedis } from '#/lifecycle/optional-redis.ts'
import { connectRedis } from '#/lifecycle/redis.ts'
import type { Quota, RateLimit, RatePolicy } from '#/limits/rate-limit.ts'
import type { Log } from '#/telemetry/log.ts'

/** The maximum time that a request waits for a slow Redis. After a second without a response the connection is closed. */
const WAIT_MS = 100
const MAX_KEYS = 10_000

/**
 * A command leases a 64th of the remaining requests: 46 of 3,000. Each of the last 64 requests needs its own command, so that the
 * limit is exact for any number of replicas.
 */
const PARTS = 64

type Lease = {
  /** Points that are leased from the common count and not yet used. */
  points: number
  /** The remaining points when Redis last responded, minus `owed`; the whole limit before the first response. */
  remaining: number
  /** Requests that were allowed without a point. The next command adds them to the common count. */
  owed: number
  /** Whether Redis has responded in this window. */
  isKnown: boolean
  /** The end of the window, by `performance.now()`. */
  until: number
  /** The number of requests that wait for points. */
  waiting: number
  /** The one command in progress for this key. */
  refill: Refill | null
}

/** Neither promise rejects. `late` resolves with `over` or after WAIT_MS. */
type Refill = { late: Promise<void>; over: Promise<void> }

const quotaOf = ({ remaining, points, until }: Lease, isAllowed: boolean): Quota => ({
  isAllowed,
  remaining: remaining + points,
  seconds: Math.max(1, Math.ceil((until - performance.now()) / 1_000)),
})

/** Returns the number of requests that are allowed before Redis responds: at least one for a new key in this window. */
const advanceOf = ({ isKnown, remaining }: Lease): number =>
  isKnown ? Math.floor(remaining / PARTS) : Math.ceil(remaining / PARTS)

function takeWithoutPoint(lease: Lease): true {
  lease.remaining -= 1
  lease.owed += 1
  return true
}

/**
 * A rate limit in fixed windows with one count in Redis for all replicas.
 *
 * While Redis is slow, a replica allows the leased requests of a key and a 64th of the remaining ones. Without a connection, each
 * replica allows the requests that remained at the last response of Redis; in a new window, the whole limit. Keys may then exceed
 * the limit, but never receive less. The next command adds the allowed requests to the common count.
 */
export class SharedRateLimit implements RateLimit {
  readonly policy: RatePolicy
  readonly #redis: OptionalRedis
  readonly #common: RateLimiterRedis
  readonly #leases = new Cache<Lease>({ maxEntries: MAX_KEYS })
  /** Whether the last command takes longer than WAIT_MS. If so, other requests do not wait for it. */
  #isLate = false

  constructor(url: string, policy: RatePolicy, log: Log) {
    this.policy = policy
    // No command timeout: Redis would count a command that has timed out, and no request would use its points. Redis may also have
    // counted a failed command, so after one failure no command is sent for a second.
    this.#redis = new OptionalRedis(connectRedis(url, log, { commandTimeout: undefined }), { maxFailures: 1 })
    this.#common = new RateLimiterRedis({
      storeClient: this.#redis.client,
      keyPrefix: 'rate',
      points: policy.requests,
      duration: policy.seconds,
    })
  }

  async take(key: string): Promise<Quota> {
    const lease = this.#leaseOf(key)
    return quotaOf(lease, await this.#takeFrom(lease, key))
  }

  /** Resolves when Redis is connected, or after `withinMs`. Before that, a new replica uses only its own count. */
  connected(withinMs: number): Promise<void> {
    return this.#redis.connected(withinMs)
  }

  close(): void {
    this.#redis.close()
  }

  #leaseOf(key: string): Lease {
    const known = this.#leases.get(key)
    const now = performance.now()
    if (known && now < known.until) return known
    const lease: Lease = {
      points: 0,
      remaining: this.policy.requests,
      owed: 0,
      isKnown: false,
      until: now + this.policy.seconds * 1_000,
      waiting: 0,
      refill: null,
    }
    this.#leases.set(key, lease)
    return lease
  }

  async #takeFrom(lease: Lease, key: string): Promise<boolean> {
    lease.waiting += 1
    try {
      while (lease.points === 0 && lease.remaining > 0) {
        if (!this.#redis.isAvailable) return takeWithoutPoint(lease)
        lease.refill ??= this.#refill(lease, key)
        if (this.#isLate && lease.owed < advanceOf(lease)) return takeWithoutPoint(lease)
        await (this.#isLate ? lease.refill.over : lease.refill.late)
      }
    } finally {
      lease.waiting -= 1
    }
    if (lease.points === 0) return false
    lease.points -= 1
    return true
  }

  #refill(lease: Lease, key: string): Refill {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.#isLate = true
      late.resolve()
    }, WAIT_MS)
    const over = this.#fetch(lease, key).finally(() => {
      clearTimeout(timer)
      this.#isLate = false
      lease.refill = null
      late.resolve()
    })
    return { late: late.promise, over }
  }

  async #fetch(lease: Lease, key: string): Promise<void> {
    const { requests } = this.policy
    const part = lease.isKnown ? Math.floor(lease.remaining / PARTS) : 1
    const wanted = Math.max(1, part, lease.waiting)
    const counted = await this.#redis.run(
      () => {
        const { owed } = lease
        // Not restored if the command fails: Redis may have counted it, and a key must never receive less than its limit.
        lease.owed = 0
        return this.#common.penalty(key, wanted + owed)
      },
      () => null,
    )
    if (counted === null) return
    const { consumedPoints, msBeforeNext } = counted
    const granted = Math.max(0, Math.min(wanted, requests - consumedPoints + wanted))
    const settled = Math.min(lease.owed, granted)
    lease.owed -= settled
    lease.points += granted - settled
    lease.remaining = Math.max(0, requests - consumedPoints - lease.owed)
    lease.until = performance.now() + msBeforeNext
    lease.isKnown = true
  }
}
