import { Problem } from '#/http/problem.ts'

/** The number of requests of one key in a window of `seconds`. */
export type RatePolicy = {
  /** The name in the response fields. */
  name: string
  /** The noun for the requests in the problem's detail. */
  what: string
  requests: number
  seconds: number
}

/**
 * The state after a request: whether it is within the limit, the remaining requests, and the seconds until the full quota is
 * available.
 */
export type Quota = { isAllowed: boolean; remaining: number; seconds: number }

/** Limits the requests of each key in a window. */
export type RateLimit = {
  readonly policy: RatePolicy
  /** Counts a request if it is within the limit. */
  take(key: string): Quota
}

/**
 * Returns the fields of draft-ietf-httpapi-ratelimit-headers-11: `q` requests in `w` seconds; `r` remain, and the full quota is
 * available in `t` seconds.
 */
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
