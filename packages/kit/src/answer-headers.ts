/**
 * What every answer says for whose route says nothing else: that nobody keeps a copy of it (it may be of a person),
 * and that no browser takes it for another type than it has.
 */
export const ANSWER_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** Fetch, 3.3: pages of every origin may read what applications are answered. Never with credentials: cookies are the console's. */
const OF_ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Link, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id, X-Ignored-Fields',
} as const

/**
 * What the answer to a request for `url` has to say for pages of other origins: nothing outside the interface for applications.
 * A refusal says it as well, or a page could not tell a 429 from a lost connection.
 */
export const corsHeaders = (url: string): Readonly<Record<string, string>> =>
  url.startsWith('/publicapi/') ? OF_ANY_ORIGIN : {}
