import { once } from 'node:events'
import type { Log } from '@platter/kit'
import { connectRedis, type Redis } from '@platter/kit/lifecycle/redis'
import { RateLimiterRedis } from 'rate-limiter-flexible'

/** So many requests of one access key within so many seconds. */
export type Policy = { requests: number; seconds: number }

/** How an access key stands after a request: whether it may pass, how many more may, and when all may again. */
export type Standing = { allowed: boolean; remaining: number; seconds: number }

/** After Redis refused a command, no other one is sent for so long. */
const SPARED_MS = 1_000
/** A request waits at most this long for a Redis that is only late; after a second without an answer its connection is closed. */
const PATIENCE_MS = 100
const MAX_KEYS = 10_000

/**
 * A replica takes a 64th of what is left at a time: 46 requests of 3,000 cost one command, and the last 64
 * cost one each, so that the limit is met exactly however many replicas share it.
 */
const LOTS = 64

type Lease = {
  /** Taken from the common count, and not yet given to a request. */
  points: number
  /** Left in the common count when Redis last answered, less `owed`; the whole limit before the first answer. */
  remaining: number
  /** Requests that passed without a point. The next command adds them to the common count. */
  owed: number
  /** Redis has answered in this window. */
  isKnown: boolean
  /** When the window ends, by `performance.now()`. */
  until: number
  /** Requests that wait for points. */
  waiting: number
  /** The one command that is under way for this key. */
  refill: Refill | null
}

/** Both never reject. `late` resolves with `over`, or after PATIENCE_MS. */
type Refill = { late: Promise<void>; over: Promise<void> }

const standingOf = ({ remaining, points, until }: Lease, allowed: boolean): Standing => ({
  allowed,
  remaining: remaining + points,
  seconds: Math.max(1, Math.ceil((until - performance.now()) / 1_000)),
})

/** Of a key of which nothing is known, one request may pass in advance, however small its limit is. */
const advanceOf = ({ isKnown, remaining }: Lease): number =>
  isKnown ? Math.floor(remaining / LOTS) : Math.ceil(remaining / LOTS)

function takeWithoutPoint(lease: Lease): true {
  lease.remaining -= 1
  lease.owed += 1
  return true
}

/**
 * Counts the requests of each access key, in common with all replicas through Redis.
 *
 * While Redis is late, a replica allows a key what it has leased and a 64th of what was left, however long Redis takes.
 * Without a connection each replica allows what was left when Redis last answered, the whole limit in a new window: a
 * key may do more then, and never less. The next command adds what passed either way to the common count.
 */
export class RateLimit {
  readonly policy: Policy
  readonly #redis: Redis
  readonly #common: RateLimiterRedis
  readonly #leases = new Map<string, Lease>()
  #sparedUntil = 0
  /** The last command waits for its answer longer than PATIENCE_MS: other requests do not wait with it. */
  #isLate = false
  /** When the last of the windows ends that somebody was told to have used up, by `performance.now()`. */
  #usedUpUntil = 0

  constructor(url: string, policy: Policy, log: Log) {
    this.policy = policy
    // A command that is given up is counted all the same, and its points would be nobody's.
    this.#redis = connectRedis(url, log, { commandTimeout: undefined })
    this.#common = new RateLimiterRedis({
      storeClient: this.#redis,
      keyPrefix: 'rate',
      points: policy.requests,
      duration: policy.seconds,
    })
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
    const lease: Lease = {
      points: 0,
      remaining: this.policy.requests,
      owed: 0,
      isKnown: false,
      until: now + this.policy.seconds * 1_000,
      waiting: 0,
      refill: null,
    }
    this.#leases.delete(key)
    const [oldest] = this.#leases.size < MAX_KEYS ? [] : this.#leases.keys()
    if (oldest !== undefined) this.#leases.delete(oldest)
    this.#leases.set(key, lease)
    return lease
  }

  async #takeFrom(lease: Lease, key: string): Promise<boolean> {
    lease.waiting += 1
    try {
      while (lease.points === 0 && lease.remaining > 0) {
        if (this.#isAlone) return takeWithoutPoint(lease)
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

  get #isAlone(): boolean {
    return this.#redis.status !== 'ready' || performance.now() < this.#sparedUntil
  }

  #refill(lease: Lease, key: string): Refill {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.#isLate = true
      late.resolve()
    }, PATIENCE_MS)
    const over = this.#fetch(lease, key)
      .catch(() => {
        // Why it failed is told by the connection's own events.
        this.#sparedUntil = performance.now() + SPARED_MS
      })
      .finally(() => {
        clearTimeout(timer)
        this.#isLate = false
        lease.refill = null
        late.resolve()
      })
    return { late: late.promise, over }
  }

  async #fetch(lease: Lease, key: string): Promise<void> {
    const { requests } = this.policy
    const lot = lease.isKnown ? Math.floor(lease.remaining / LOTS) : 1
    const wanted = Math.max(1, lot, lease.waiting)
    const { owed } = lease
    // Not put back when the command fails: Redis may have counted it, and a key never gets less than its limit.
    lease.owed = 0
    const { consumedPoints, msBeforeNext } = await this.#common.penalty(key, wanted + owed)
    const granted = Math.max(0, Math.min(wanted, requests - consumedPoints + wanted))
    const settled = Math.min(lease.owed, granted)
    lease.owed -= settled
    lease.points += granted - settled
    lease.remaining = Math.max(0, requests - consumedPoints - lease.owed)
    lease.until = performance.now() + msBeforeNext
    lease.isKnown = true
  }
}
