import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible'
import { Problem } from '#/http/problem.ts'
import type { OptionalRedis } from '#/lifecycle/optional-redis.ts'

/** The number of attempts of one key in a window of `seconds`, which begins with the first attempt. */
type AttemptPolicy = { attempts: number; seconds: number }

/**
 * Limits the attempts of each key to guess a secret: an access key, a password, a card. With `shared`, all replicas share one count
 * in Redis. Without `shared`, and while Redis is unavailable, each replica has its own count.
 */
export class AttemptLimit {
  readonly #own: RateLimiterMemory
  readonly #shared: { redis: OptionalRedis; limiter: RateLimiterRedis } | null
  readonly #detail: string

  /** `detail` is the detail of the problem. `prefix` is the prefix of the keys in Redis. */
  constructor(
    { attempts, seconds }: AttemptPolicy,
    detail: string,
    shared?: { redis: OptionalRedis; prefix: string },
  ) {
    this.#detail = detail
    const options = { points: attempts, duration: seconds, ...(shared && { keyPrefix: shared.prefix }) }
    this.#own = new RateLimiterMemory(options)
    this.#shared = shared
      ? {
          redis: shared.redis,
          limiter: new RateLimiterRedis({ ...options, storeClient: shared.redis.client }),
        }
      : null
  }

  /** Counts an attempt. Throws Problem rate-limited if the key has no attempt left. */
  async count(key: string): Promise<void> {
    const rejected = await this.#run((limiter) => rejectionOf(limiter, key))
    if (rejected) throw attemptsUsedUp(this.#detail, rejected.msBeforeNext)
  }

  /** Counts a failed attempt, even if the key has no attempt left. */
  async countFailed(key: string): Promise<void> {
    await this.#run((limiter) => limiter.penalty(key))
  }

  /** Subtracts a counted attempt that has succeeded. */
  async uncount(key: string): Promise<void> {
    await this.#run((limiter) => limiter.reward(key))
  }

  /**
   * Throws Problem rate-limited if the key has no attempt left. Counts nothing. For a key below its limit this is one command of
   * Redis. `limiter.get` also reads the wait, with four.
   */
  async check(key: string): Promise<void> {
    const counted = await this.#run(async (limiter) =>
      (await this.#isBelowLimit(key, limiter)) ? null : limiter.get(key),
    )
    if (counted && counted.remainingPoints <= 0) throw attemptsUsedUp(this.#detail, counted.msBeforeNext)
  }

  async #isBelowLimit(key: string, limiter: RateLimiterAbstract): Promise<boolean> {
    if (limiter === this.#own || !this.#shared) return false
    return Number(await this.#shared.redis.client.get(limiter.getKey(key))) < limiter.points
  }

  #run<V>(operation: (limiter: RateLimiterAbstract) => Promise<V>): Promise<V> {
    const own = () => operation(this.#own)
    const shared = this.#shared
    return shared ? shared.redis.run(() => operation(shared.limiter), own) : own()
  }
}

/** Counts an attempt. Returns a rejection by the limit as a value, because it is not a failure of Redis. */
const rejectionOf = (limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes | null> =>
  limiter.consume(key).then(
    () => null,
    (error: unknown) => {
      if (error instanceof RateLimiterRes) return error
      throw error
    },
  )

/** Returns the problem. `waitMs` is the time until the end of the window, in milliseconds. */
const attemptsUsedUp = (detail: string, waitMs: number): Problem =>
  new Problem('rate-limited', detail, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) })
