import { audienceOf } from '@platter/contracts'

/**
 * The default header fields of every response. Caches must not store responses, which may contain personal data. Browsers must not
 * sniff the content type.
 */
export const RESPONSE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

/**
 * CORS (Fetch standard, section 3.3): pages of every origin may read the responses of the application interface. Credentials are
 * not allowed, because only the console uses cookies.
 */
const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Link, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id, X-Ignored-Fields',
} as const

/**
 * Returns the CORS fields of the response to a request for `url`; none outside the interface for applications. Problem responses
 * have them too. Without them a page could not distinguish a 429 from a lost connection.
 */
export const corsHeaders = (url: string): Readonly<Record<string, string>> =>
  audienceOf(url) === 'application' ? ANY_ORIGIN : {}
