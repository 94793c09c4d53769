import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible'
import { Problem } from '#/http/problem.ts'
import type { Redis } from '#/lifecycle/redis.ts'

/** So many attempts of one key in a window of so many seconds, which begins with the first one. */
export type AttemptPolicy = { attempts: number; seconds: number }

/**
 * Limits the attempts of each key to guess a secret: an access key, a password, a card. With `shared` all replicas count
 * together in Redis; while Redis is unavailable, and without `shared`, each replica counts for itself.
 */
export class AttemptLimit {
  readonly #limiter: RateLimiterAbstract
  readonly #detail: string

  /** `detail`: of the problem. `prefix`: of the keys in Redis. */
  constructor(
    { attempts, seconds }: AttemptPolicy,
    detail: string,
    shared?: { redis: Redis; prefix: string },
  ) {
    this.#detail = detail
    const options = { points: attempts, duration: seconds, ...(shared && { keyPrefix: shared.prefix }) }
    const own = new RateLimiterMemory(options)
    this.#limiter = shared
      ? new RateLimiterRedis({
          ...options,
          storeClient: shared.redis,
          rejectIfRedisNotReady: true,
          insuranceLimiter: own,
        })
      : own
  }

  /** Counts an attempt. Throws Problem rate-limited when the key has none left. */
  async count(key: string): Promise<void> {
    try {
      await this.#limiter.consume(key)
    } catch (rejected) {
      throw rejected instanceof RateLimiterRes
        ? attemptsUsedUp(this.#detail, rejected.msBeforeNext)
        : rejected
    }
  }

  /** Counts an attempt, even of a key that has none left. */
  async countFailed(key: string): Promise<void> {
    await this.#limiter.penalty(key)
  }

  /** Takes back an attempt that was counted, because it succeeded. */
  async takeBack(key: string): Promise<void> {
    await this.#limiter.reward(key)
  }

  /** Throws Problem rate-limited when the key has no attempt left. Counts nothing. */
  async check(key: string): Promise<void> {
    const counted = await this.#limiter.get(key)
    if (counted && counted.remainingPoints <= 0) throw attemptsUsedUp(this.#detail, counted.msBeforeNext)
  }
}

/** `waitMs`: milliseconds until the end of the window. */
export const attemptsUsedUp = (detail: string, waitMs: number): Problem =>
  new Problem('rate-limited', detail, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) })
