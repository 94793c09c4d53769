import type { Json } from './json.ts'

const header = (description: string, example: string | number): Json => ({
  description,
  schema: { type: typeof example === 'number' ? 'integer' : 'string' },
  example,
})

/** Headers of responses. */
export const headers = {
  'X-Request-Id': header(
    'The id of the request: the one that you sent, or a new one.',
    '182a2cce-1191-4f2f-b816-c96c88181d5a',
  ),
  'X-Trace-Id': header(
    'The trace of the request, when it is sampled: 32 hexadecimal digits. It continues yours when you send a `traceparent`.',
    '4bf92f3577b34da6a3ce929d0e0e4736',
  ),
  RateLimit: header(
    'The remaining requests of the access key (`r`) and the seconds until the limit resets (`t`), as in draft-ietf-httpapi-ratelimit-headers. `"orders"` is the limit of orders that the application sends or validates.',
    '"default";r=2994;t=7',
  ),
  'RateLimit-Policy': header(
    'The requests (`q`) of an access key in a window of seconds (`w`). After a comma, the orders that an application may send or validate.',
    '"default";q=3000;w=10',
  ),
  'Retry-After': header('Seconds to wait before the next attempt.', 1),
  'Idempotent-Replayed': header(
    '`true` when this is the response of an earlier request with the same `Idempotency-Key`.',
    'true',
  ),
  'X-Ignored-Fields': header(
    'Unknown fields of the request, which are ignored: at most 20, separated by commas, for example `recipient.firstname`, `items[].quantity`, `query/limits`. Characters outside ASCII are percent-encoded. `...` at the end means that there are more; `[masked]` replaces a name that may be a card number or an access key. Absent without unknown fields.',
    'comment, items[].quantity',
  ),
  Link: header(
    'The next page of the list; absent on the last page.',
    '</publicapi/v1/user/3c9e1f0a7d5b/orders?limit=100&cursor=MTA0Mg>; rel="next"',
  ),
  'WWW-Authenticate': header(
    'The challenge of every 401. The access key belongs in `X-Access-Token`, not in `Authorization`.',
    'AccessKey realm="Platter"',
  ),
  ETag: header('Changes with the content of the response.', '"7f3a9c"'),
} satisfies Record<string, Json>

type HeaderName = keyof typeof headers

export const refersTo = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

export const headersOf = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, refersTo('headers', name)]))

/**
 * Headers of requests; the access key is a security scheme. They have no examples, because the page at `/docs` sends examples: a
 * reader's second order would repeat the Idempotency-Key of the first.
 */
export const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Identifies this request across retries: new for every order, for example a UUID; 1 to 255 visible ASCII characters. A retry with the same key has no second effect: for 7 days it receives the first final response.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of an earlier response: without a change since, the response is a 304 without a body.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The `id` of the last event that you received: the stream continues after it. EventSource sends it automatically.',
    schema: { type: 'string', maxLength: 100 },
  },
} satisfies Record<string, Json>
