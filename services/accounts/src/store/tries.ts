import { createHash } from 'node:crypto'
import { networkOf, Problem, type Log } from '@platter/kit'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** How many tries there are within so many seconds, for one e-mail, one client address and one application. */
export type TriesPolicy = { perEmail: number; perAddress: number; perApplication: number; seconds: number }

/** Who tries: the e-mail that was named, the client's address if it is known, and, to sign in, the application. */
export type Trier = { email: string; address: string | undefined; applicationId?: string | undefined }

/**
 * Tries to sign in or to register. All count alike, whether or not there is such a user: being refused tells
 * nothing. A sign-in that works is taken back, so that only guessing uses the tries up.
 */
export type Tries = {
  /** Counts one. Throws Problem rate-limited when there are none left. */
  count(trier: Trier): Promise<void>
  takeBack(trier: Trier): Promise<void>
  close(): void
}

/**
 * A try waits for the common count as long as its connection may be silent. After 100 ms, as elsewhere, each replica would
 * count for itself whenever a busy machine stalls, and a guesser would have ten tries on each.
 */
const COUNTED_WITHIN_MS = 1_000

/** Counted in common with all replicas in Redis; while it is unavailable each replica counts for itself. */
export function countTries(url: string, policy: TriesPolicy, log: Log): Tries {
  const redis = connectRedis(url, log, { commandTimeout: COUNTED_WITHIN_MS })
  const limiterOf = (by: string, points: number) => {
    const options = { keyPrefix: `tries:${by}`, points, duration: policy.seconds }
    const insuranceLimiter = new RateLimiterMemory(options)
    return new RateLimiterRedis({
      ...options,
      storeClient: redis,
      rejectIfRedisNotReady: true,
      insuranceLimiter,
    })
  }
  const byEmail = limiterOf('email', policy.perEmail)
  const byAddress = limiterOf('address', policy.perAddress)
  const byApplication = limiterOf('application', policy.perApplication)
  /** The address first: who is out of tries there cannot use up those of others; what all share comes last. */
  const counted = ({ email, address, applicationId }: Trier): Counted[] => [
    ...(address === undefined ? [] : ([[byAddress, addressKey(address)]] satisfies Counted[])),
    [byEmail, emailKey(email)],
    ...(applicationId === undefined ? [] : ([[byApplication, applicationId]] satisfies Counted[])),
  ]
  return {
    async count(trier) {
      for (const [limiter, key] of counted(trier)) await consume(limiter, key)
    },
    async takeBack(trier) {
      await Promise.all(counted(trier).map(([limiter, key]) => limiter.reward(key)))
    },
    close: () => redis.disconnect(),
  }
}

type Counted = [RateLimiterRedis, string]

async function consume(limiter: RateLimiterRedis, key: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused
    throw new Problem('rate-limited', 'Too many tries. Please wait a few minutes and try again.', {
      retryAfterSeconds: Math.max(1, Math.ceil(refused.msBeforeNext / 1_000)),
    })
  }
}

const keyOf = (text: string) => createHash('sha256').update(text).digest('hex')
/** However it is written, as it is one user's; hashed, as Redis need not know who tries. */
const emailKey = (email: string) => keyOf(email.toLowerCase())
const addressKey = (address: string) => keyOf(networkOf(address))
