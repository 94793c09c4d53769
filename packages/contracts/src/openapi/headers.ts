import type { Json } from '#/openapi/json.ts'

const header = (description: string, example: string | number): Json => ({
  description,
  schema: { type: typeof example === 'number' ? 'integer' : 'string' },
  example,
})

/** Headers of answers. */
export const headers = {
  'X-Request-Id': header(
    'The id of the request: as it was sent, or a new one.',
    '182a2cce-1191-4f2f-b816-c96c88181d5a',
  ),
  'X-Trace-Id': header(
    'The trace that the request is in, where it is kept: 32 hexadecimal digits. It continues yours when you send a `traceparent`.',
    '4bf92f3577b34da6a3ce929d0e0e4736',
  ),
  RateLimit: header(
    'How many requests of the access key are left (`r`), and for how many seconds (`t`), as in draft-ietf-httpapi-ratelimit-headers; of orders that the application sends or validates `"orders"` says the same.',
    '"default";r=2994;t=7',
  ),
  'RateLimit-Policy': header(
    'How many requests (`q`) an access key may make in how many seconds (`w`), and behind a comma how many orders an application may send or validate.',
    '"default";q=3000;w=10',
  ),
  'Retry-After': header('Seconds to wait before the next attempt.', 1),
  'Idempotent-Replayed': header(
    '`true` when this is the answer that an earlier request with the same `Idempotency-Key` was given.',
    'true',
  ),
  'X-Ignored-Fields': header(
    'Fields of the request that the endpoint does not know and ignored, at most 20 of them, with commas between: `recipient.firstname`, `items[].quantity`, `query/limits`. Other characters than plain ASCII are percent-encoded; `...` at the end stands for more, and `[masked]` for a name that may be a card number or an access key. Absent when there are none.',
    'comment, items[].quantity',
  ),
  Link: header(
    'The next page of the list, when there is one.',
    '</publicapi/v1/user/3c9e1f0a7d5b/orders?limit=100&cursor=MTA0Mg>; rel="next"',
  ),
  ETag: header('Changes whenever the answer does.', '"7f3a9c"'),
} satisfies Record<string, Json>

type HeaderName = keyof typeof headers

export const refersTo = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

export const headersOf = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, refersTo('headers', name)]))

/**
 * Headers of requests; the access key is a security scheme. They have no examples: the documentation's page
 * would send them, and the second order that somebody tries would be a repetition of the first.
 */
export const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A name of your choice for this request, new for every order, for example a UUID; 1 to 255 visible ASCII characters. Sent again with the same key, the request is not done twice: for 7 days the first final answer is given again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of an earlier answer: when nothing has changed, the answer is a 304 without a body.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The `id` of the last event that was received: the stream goes on after it. A browser sends it by itself.',
    schema: { type: 'string', maxLength: 100 },
  },
} satisfies Record<string, Json>
