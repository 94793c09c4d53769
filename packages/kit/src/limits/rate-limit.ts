import { Problem } from '#/http/problem.ts'

/** So many requests of one key in so many seconds. */
export type RatePolicy = {
  /** In the response fields. */
  name: string
  /** The requests, as the problem names them. */
  what: string
  requests: number
  seconds: number
}

/** After a request: whether it is within the limit, how many more are, and in how many seconds all are again. */
export type Quota = { isAllowed: boolean; remaining: number; seconds: number }

/** Limits the requests of each key in a time. */
export type RateLimit = {
  readonly policy: RatePolicy
  /** Counts a request. Never rejects. */
  take(key: string): Quota | Promise<Quota>
  /** The quota of a key that is known to be used up, without counting; null for any other key. */
  usedUp(key: string): Quota | null
  /** Whether a key may be used up. */
  readonly isAnyUsedUp: boolean
}

/** draft-ietf-httpapi-ratelimit-headers-11: `q` requests in `w` seconds; `r` are left, and all again in `t` seconds. */
export const rateLimitFields = (
  { name, requests, seconds: window }: RatePolicy,
  { remaining, seconds }: Quota,
) => ({
  'ratelimit-policy': `"${name}";q=${requests};w=${window}`,
  ratelimit: `"${name}";r=${remaining};t=${seconds}`,
})

export const rateLimited = ({ what, requests, seconds: window }: RatePolicy, { seconds }: Quota): Problem =>
  new Problem('rate-limited', `More than ${requests} ${what} in ${window} s. Please try again later.`, {
    retryAfterSeconds: seconds,
  })
