import { once } from 'node:events'
import type { Log } from '@platter/kit'
import { connectRedis, type Redis } from '@platter/kit/redis'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'

/** So many requests of one access key within so many seconds. */
export type Policy = { requests: number; seconds: number }

/** How an access key stands after a request: whether it may pass, how many more may, and when all may again. */
export type Standing = { allowed: boolean; remaining: number; seconds: number }

/** After a failure (a frozen Redis costs 100 ms) Redis is left alone for so long, then one request may try. */
const SPARED_MS = 1_000
const MAX_KEYS = 10_000

/**
 * A replica takes a 64th of what is left at a time: 46 requests of 3,000 cost one command, and the last 64
 * cost one each, so that the limit is met exactly however many replicas share it.
 */
const LOTS = 64

type Lease = {
  /** Taken from the common count, and not yet given to a request. */
  points: number
  /** Left in the common count when it was last asked. */
  remaining: number
  /** When the window ends, by `performance.now()`. */
  until: number
  /** A lot is on its way; whoever comes meanwhile takes one for itself. */
  fetching: boolean
}

const standingOf = ({ remaining, points, until }: Lease, allowed: boolean): Standing => ({
  allowed,
  remaining: remaining + points,
  seconds: Math.max(1, Math.ceil((until - performance.now()) / 1_000)),
})

/**
 * Counts the requests of each access key, in common with all replicas through Redis. Without Redis each
 * replica counts for itself, so that a key may do more then, and never less.
 */
export class RateLimit {
  readonly policy: Policy
  readonly #redis: Redis
  readonly #common: RateLimiterRedis
  readonly #own: RateLimiterMemory
  readonly #leases = new Map<string, Lease>()
  #sparedUntil = 0
  /** When the last of the windows ends that somebody was told to have used up, by `performance.now()`. */
  #usedUpUntil = 0

  constructor(url: string, policy: Policy, log: Log) {
    this.policy = policy
    this.#redis = connectRedis(url, log)
    const options = { keyPrefix: 'rate', points: policy.requests, duration: policy.seconds }
    this.#common = new RateLimiterRedis({ ...options, storeClient: this.#redis })
    this.#own = new RateLimiterMemory(options)
  }

  /** Counts one request. Never rejects. */
  async take(key: string): Promise<Standing> {
    const lease = this.#leaseOf(key)
    const allowed = await this.#takeFrom(lease, key)
    if (!allowed) this.#usedUpUntil = Math.max(this.#usedUpUntil, lease.until)
    return standingOf(lease, allowed)
  }

  /** Whether there is a key that has been told that it has used up its window. */
  get isAnyUsedUp(): boolean {
    return performance.now() < this.#usedUpUntil
  }

  /** How a key stands that is known to have used up its window, which counts nothing; null for any other one. */
  usedUp(key: string): Standing | null {
    const lease = this.#leases.get(key)
    if (!lease || lease.points > 0 || lease.remaining > 0 || performance.now() >= lease.until) return null
    return standingOf(lease, false)
  }

  /** Resolves when Redis is connected, or after `withinMs`: what a new replica counts before that it counts alone. */
  async connected(withinMs: number): Promise<void> {
    if (this.#redis.status === 'ready') return
    await once(this.#redis, 'ready', { signal: AbortSignal.timeout(withinMs) }).catch(
      () => 'it counts alone until then',
    )
  }

  close(): void {
    this.#redis.disconnect()
  }

  #leaseOf(key: string): Lease {
    const known = this.#leases.get(key)
    const now = performance.now()
    if (known && now < known.until) return known
    // Of a new window nothing is known but that it is not used up.
    const lease = { points: 0, remaining: 1, until: now + this.policy.seconds * 1_000, fetching: false }
    if (this.#leases.size >= MAX_KEYS) this.#leases.clear()
    this.#leases.set(key, lease)
    return lease
  }

  async #takeFrom(lease: Lease, key: string): Promise<boolean> {
    if (lease.points > 0) {
      lease.points -= 1
      return true
    }
    if (lease.remaining === 0) return false
    const isLot = !lease.fetching
    const wanted = isLot ? Math.max(1, Math.floor(lease.remaining / LOTS)) : 1
    lease.fetching = true
    const { consumedPoints, msBeforeNext } = await this.#count(key, wanted)
    if (isLot) lease.fetching = false
    const granted = Math.max(0, Math.min(wanted, this.policy.requests - consumedPoints + wanted))
    lease.until = performance.now() + msBeforeNext
    lease.remaining = Math.max(0, this.policy.requests - consumedPoints)
    lease.points += Math.max(0, granted - 1)
    return granted > 0
  }

  /** Adds to the common count, or to this replica's own when the common one cannot be had. */
  async #count(key: string, points: number): Promise<RateLimiterRes> {
    const now = performance.now()
    if (now < this.#sparedUntil || this.#redis.status !== 'ready') return this.#own.penalty(key, points)
    const failedBefore = this.#sparedUntil > 0
    // While one request finds out whether Redis is back, the others do not wait with it.
    if (failedBefore) this.#sparedUntil = now + SPARED_MS
    try {
      const count = await this.#common.penalty(key, points)
      this.#sparedUntil = 0
      return count
    } catch {
      // Why it failed is told by the connection's own events.
      this.#sparedUntil = performance.now() + SPARED_MS
      return this.#own.penalty(key, points)
    }
  }
}
