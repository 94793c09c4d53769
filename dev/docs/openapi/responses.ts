import {
  bodyProblems,
  commonProblems,
  EventsOnly,
  problems,
  problemsOf,
  takesIdempotencyKey,
  type EventExample,
  type ProblemCode,
  type PublicOperation,
} from '@platter/contracts'
import { headersOf, refersTo } from './headers.ts'
import type { Json } from './json.ts'
import type { Schemas } from './schemas.ts'

const RATE = ['RateLimit', 'RateLimit-Policy'] as const

const statusOf = (code: ProblemCode): number => problems[code].status

/** Sorts codes in the order of the catalogue. */
const inOrder = (codes: Iterable<ProblemCode>): ProblemCode[] => {
  const wanted = new Set(codes)
  return (Object.keys(problems) as ProblemCode[]).filter((code) => wanted.has(code))
}

/** Groups the codes of an operation by status. */
const codesOf = (operation: PublicOperation) => Map.groupBy(inOrder(problemsOf(operation)), statusOf)

/** Returns the codes of all operations. */
export const documentedCodes = (operations: readonly PublicOperation[]): ProblemCode[] =>
  inOrder(operations.flatMap(problemsOf))

const nameOf = (codes: readonly ProblemCode[]) =>
  `${statusOf(codes[0] ?? 'internal-error')}.${codes.join('.')}`

/** Responses of many operations, written once: common problems, and those of bodies and of idempotency keys. */
const shared = new Map(
  [
    ...Map.groupBy(inOrder(commonProblems), statusOf).values(),
    inOrder([...bodyProblems, 'missing-field', 'invalid-field']).filter((code) => statusOf(code) === 400),
    ...(['body-too-large', 'not-json', 'idempotency-in-flight'] as const).map((code): ProblemCode[] => [
      code,
    ]),
    inOrder(['idempotency-mismatch', 'raw-card-not-accepted']),
  ].map((codes) => [nameOf(codes), codes]),
)

export function sharedResponses(operations: readonly PublicOperation[]): Json {
  const used = new Set(operations.flatMap((one) => [...codesOf(one).values()].map(nameOf)))
  return Object.fromEntries(
    [...shared].filter(([name]) => used.has(name)).map(([name, codes]) => [name, problemResponse(codes)]),
  )
}

/** Returns all responses of an operation by status. */
export function responsesOf(operation: PublicOperation, schemas: Schemas): Json {
  const { hasETag, noContent } = operation
  const failures = [...codesOf(operation)].map(([status, codes]): [number, Json] => [
    status,
    shared.has(nameOf(codes)) ? refersTo('responses', nameOf(codes)) : problemResponse(codes),
  ])
  return {
    200: success(operation, schemas),
    ...(hasETag && {
      304: {
        description: 'No change since the response with that ETag.',
        headers: headersOf(['X-Request-Id', ...RATE, 'ETag']),
      },
    }),
    ...(noContent !== undefined && {
      204: { description: noContent, headers: headersOf(['X-Request-Id']) },
    }),
    ...Object.fromEntries(failures),
  }
}

function success(operation: PublicOperation, schemas: Schemas): Json {
  const { query } = operation
  const isPaged = query !== undefined && 'cursor' in schemas.parameters(query).properties
  return {
    description: operation.returns,
    headers: headersOf([
      'X-Request-Id',
      'X-Trace-Id',
      'X-Ignored-Fields',
      ...RATE,
      ...(takesIdempotencyKey(operation) ? (['Idempotent-Replayed'] as const) : []),
      ...(isPaged ? (['Link'] as const) : []),
      ...(operation.hasETag ? (['ETag'] as const) : []),
    ]),
    content: contentOf(operation, schemas),
  }
}

/** OpenAPI 3.1 cannot describe single events, so an event stream is documented as text. */
function contentOf({ response, examples }: PublicOperation, schemas: Schemas): Json {
  return {
    ...(response !== EventsOnly && {
      'application/json': { schema: schemas.output(response), example: examples.response },
    }),
    ...(examples.events && {
      'text/event-stream': { schema: schemas.output(EventsOnly), example: eventStream(examples.events) },
    }),
  }
}

const eventStream = (events: readonly EventExample[]): string =>
  [
    'retry: 1000',
    ...events.map(({ event, id, data }) => `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}`),
    '',
  ].join('\n\n')

function problemResponse(codes: readonly ProblemCode[]): Json {
  const hasRetryAfter = codes.some(
    (code) => [429, 502, 503].includes(statusOf(code)) || code === 'idempotency-in-flight',
  )
  const isAuthenticated = codes.some((code) => statusOf(code) !== 401 || code === 'invalid-credentials')
  return {
    description: codes.map(lineOf).join('\n'),
    headers: headersOf([
      'X-Request-Id',
      'X-Trace-Id',
      ...(isAuthenticated ? (['X-Ignored-Fields', ...RATE] as const) : []),
      ...(hasRetryAfter ? (['Retry-After'] as const) : []),
      ...(codes.some((code) => statusOf(code) === 401) ? (['WWW-Authenticate'] as const) : []),
    ]),
    content: {
      'application/problem+json': {
        schema: refersTo('schemas', 'Problem'),
        examples: Object.fromEntries(codes.map((code) => [code, refersTo('examples', code)])),
      },
    },
  }
}

function lineOf(code: ProblemCode): string {
  const { errorCode, title, retryable } = problems[code]
  return `- \`${code}\` (${errorCode}): ${title}.${retryable ? ' The same request may succeed later.' : ''}`
}
