import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible'
import { Problem } from '#/http/problem.ts'
import type { OptionalRedis } from '#/lifecycle/optional-redis.ts'

/** So many attempts of one key in a window of so many seconds, which begins with the first one. */
type AttemptPolicy = { attempts: number; seconds: number }

/**
 * Limits the attempts of each key to guess a secret: an access key, a password, a card. With `shared` all replicas count
 * together in Redis; while Redis is unavailable, and without `shared`, each replica counts for itself.
 */
export class AttemptLimit {
  readonly #own: RateLimiterMemory
  readonly #shared: { redis: OptionalRedis; limiter: RateLimiterRedis } | null
  readonly #detail: string

  /** `detail`: of the problem. `prefix`: of the keys in Redis. */
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

  /** Counts an attempt. Throws Problem rate-limited when the key has none left. */
  async count(key: string): Promise<void> {
    const rejected = await this.#run((limiter) => rejectionOf(limiter, key))
    if (rejected) throw attemptsUsedUp(this.#detail, rejected.msBeforeNext)
  }

  /** Counts an attempt, even of a key that has none left. */
  async countFailed(key: string): Promise<void> {
    await this.#run((limiter) => limiter.penalty(key))
  }

  /** Takes back an attempt that was counted, because it succeeded. */
  async takeBack(key: string): Promise<void> {
    await this.#run((limiter) => limiter.reward(key))
  }

  /** Throws Problem rate-limited when the key has no attempt left. Counts nothing. */
  async check(key: string): Promise<void> {
    const counted = await this.#run((limiter) => limiter.get(key))
    if (counted && counted.remainingPoints <= 0) throw attemptsUsedUp(this.#detail, counted.msBeforeNext)
  }

  #run<V>(operation: (limiter: RateLimiterAbstract) => Promise<V>): Promise<V> {
    const own = () => operation(this.#own)
    const shared = this.#shared
    return shared ? shared.redis.run(() => operation(shared.limiter), own) : own()
  }
}

/** Counts an attempt. A rejection by the limit is a value, because it is no failure of Redis. */
const rejectionOf = (limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes | null> =>
  limiter.consume(key).then(
    () => null,
    (error: unknown) => {
      if (error instanceof RateLimiterRes) return error
      throw error
    },
  )

/** `waitMs`: milliseconds until the end of the window. */
export const attemptsUsedUp = (detail: string, waitMs: number): Problem =>
  new Problem('rate-limited', detail, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) })
