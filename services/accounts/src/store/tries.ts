import { createHash } from 'node:crypto'
import { networkOf, type Log } from '@platter/kit'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { AttemptLimit } from '@platter/kit/limits/attempt-limit'

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
  const limitBy = (by: string, attempts: number) =>
    new AttemptLimit(
      { attempts, seconds: policy.seconds },
      'Too many tries. Please wait a few minutes and try again.',
      { redis, prefix: `tries:${by}` },
    )
  const byEmail = limitBy('email', policy.perEmail)
  const byAddress = limitBy('address', policy.perAddress)
  const byApplication = limitBy('application', policy.perApplication)
  /** The address first: who is out of tries there cannot use up those of others; what all share comes last. */
  const counted = ({ email, address, applicationId }: Trier): Counted[] => [
    ...(address === undefined ? [] : ([[byAddress, addressKey(address)]] satisfies Counted[])),
    [byEmail, emailKey(email)],
    ...(applicationId === undefined ? [] : ([[byApplication, applicationId]] satisfies Counted[])),
  ]
  return {
    async count(trier) {
      for (const [limit, key] of counted(trier)) await limit.count(key)
    },
    async takeBack(trier) {
      await Promise.all(counted(trier).map(([limit, key]) => limit.takeBack(key)))
    },
    close: () => redis.disconnect(),
  }
}

type Counted = [AttemptLimit, string]

const keyOf = (text: string) => createHash('sha256').update(text).digest('hex')
/** However it is written, as it is one user's; hashed, as Redis need not know who tries. */
const emailKey = (email: string) => keyOf(email.toLowerCase())
const addressKey = (address: string) => keyOf(networkOf(address))
