import { createHash } from 'node:crypto'
import { Problem, type Log } from '@platter/kit'
import { connectRedis } from '@platter/kit/redis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from '#/domain/network.ts'

/** How many tries there are within so many seconds, for one e-mail and for one client address. */
export type TriesPolicy = { perEmail: number; perAddress: number; seconds: number }

/** Who tries: the e-mail that was named, and the client's address if it is known. */
export type Trier = { email: string; address: string | undefined }

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

/** Counted in common with all replicas in Redis; while it is away each replica counts for itself. */
export function countTries(url: string, policy: TriesPolicy, log: Log): Tries {
  const redis = connectRedis(url, log)
  const limiter = (by: string, points: number) => {
    const options = { keyPrefix: `tries:${by}`, points, duration: policy.seconds }
    const insuranceLimiter = new RateLimiterMemory(options)
    return new RateLimiterRedis({
      ...options,
      storeClient: redis,
      rejectIfRedisNotReady: true,
      insuranceLimiter,
    })
  }
  const byEmail = limiter('email', policy.perEmail)
  const byAddress = limiter('address', policy.perAddress)
  return {
    // The address first: who is out of tries there cannot use up those of other people's e-mails.
    async count({ email, address }) {
      if (address !== undefined) await consume(byAddress, addressKey(address))
      await consume(byEmail, emailKey(email))
    },
    async takeBack({ email, address }) {
      await Promise.all([
        byEmail.reward(emailKey(email)),
        ...(address === undefined ? [] : [byAddress.reward(addressKey(address))]),
      ])
    },
    close: () => redis.disconnect(),
  }
}

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
