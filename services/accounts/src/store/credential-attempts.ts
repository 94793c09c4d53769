import { createHash } from 'node:crypto'
import { networkOf, type Log } from '@platter/kit'
import { OptionalRedis } from '@platter/kit/lifecycle/optional-redis'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { AttemptLimit } from '@platter/kit/limits/attempt-limit'
import type { Config } from '#/config.ts'

type Settings = Pick<Config, 'REDIS_URL' | 'TRIES_PER_EMAIL' | 'TRIES_PER_ADDRESS' | 'TRIES_PER_APPLICATION'>

/**
 * The e-mail address in the request, the client's address, and, for a sign-in, the application. Without the gateway's address header
 * the client's address is unknown (null) and not counted.
 */
export type CredentialAttempt = {
  email: string
  address: string | null
  applicationId?: string | undefined
}

const WINDOW_SECONDS = 900

/**
 * The timeout of Redis for an attempt. With 100 ms, as elsewhere, each replica would count alone whenever a busy machine stalls. An
 * attacker would then have ten attempts at each replica.
 */
const COUNTED_WITHIN_MS = 1_000

/**
 * Counts attempts to sign in or to register. An attempt counts whether or not the user exists, so a rejection reveals nothing. A
 * successful sign-in is uncounted, so only failed attempts use up the limit. All replicas count in Redis; while it is unavailable,
 * each replica counts alone.
 */
export function redisCredentialAttempts(config: Settings, log: Log) {
  const redis = new OptionalRedis(connectRedis(config.REDIS_URL, log, { commandTimeout: COUNTED_WITHIN_MS }))
  const limitBy = (by: string, attempts: number) =>
    new AttemptLimit({ attempts, seconds: WINDOW_SECONDS }, 'Too many attempts. Please try again later.', {
      redis,
      prefix: `tries:${by}`,
    })
  const byEmail = limitBy('email', config.TRIES_PER_EMAIL)
  const byAddress = limitBy('address', config.TRIES_PER_ADDRESS)
  const byApplication = limitBy('application', config.TRIES_PER_APPLICATION)
  /**
   * The client's address comes first: above its limit, a request uses up no attempts of others. The shared limit of the application
   * comes last.
   */
  const counted = ({ email, address, applicationId }: CredentialAttempt): Counted[] => [
    ...(address === null ? [] : ([[byAddress, addressKey(address)]] satisfies Counted[])),
    [byEmail, emailKey(email)],
    ...(applicationId === undefined ? [] : ([[byApplication, applicationId]] satisfies Counted[])),
  ]
  return {
    /** Counts one attempt. Throws Problem rate-limited above a limit. */
    async count(attempt: CredentialAttempt): Promise<void> {
      for (const [limit, key] of counted(attempt)) await limit.count(key)
    },
    async uncount(attempt: CredentialAttempt): Promise<void> {
      await Promise.all(counted(attempt).map(([limit, key]) => limit.uncount(key)))
    },
    close: () => redis.close(),
  }
}

export type CredentialAttempts = ReturnType<typeof redisCredentialAttempts>

type Counted = [AttemptLimit, string]

const keyOf = (text: string) => createHash('sha256').update(text).digest('hex')
/** In lower case, because all spellings belong to one user. Hashed, because Redis needs no e-mail addresses. */
const emailKey = (email: string) => keyOf(email.toLowerCase())
const addressKey = (address: string) => keyOf(networkOf(address))
