import { audienceOf } from '@platter/contracts'

/**
 * The default header fields of every response: caches must not store it, because it may have personal data, and browsers must
 * not guess another type than the declared one.
 */
export const RESPONSE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

/**
 * Fetch standard, section 3.3: pages of every origin may read the responses to applications. Without credentials: only the
 * console has cookies.
 */
const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Link, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id, X-Ignored-Fields',
} as const

/**
 * The CORS fields of the response to a request for `url`; none outside the interface for applications. Problems have them as
 * well, or a page could not distinguish a 429 from a lost connection.
 */
export const corsHeaders = (url: string): Readonly<Record<string, string>> =>
  audienceOf(url) === 'application' ? ANY_ORIGIN : {}
