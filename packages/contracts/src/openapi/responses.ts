import { EventsOnly, everywhere, problemsOf, takesIdempotencyKey, type Operation } from '#/operation.ts'
import { problems, type ProblemCode } from '#/problems.ts'
import { headersOf, refersTo } from '#/openapi/headers.ts'
import type { Json } from '#/openapi/json.ts'
import type { Page } from '#/openapi/page.ts'
import type { Schemas } from '#/openapi/schemas.ts'

type Row = (typeof problems)[ProblemCode]

const RATE = ['RateLimit', 'RateLimit-Policy'] as const

const statusOf = (code: ProblemCode): number => problems[code].status

/** In the order of the catalogue, whatever the order in which operations name them. */
const inOrder = (codes: Iterable<ProblemCode>): ProblemCode[] => {
  const wanted = new Set(codes)
  return (Object.keys(problems) as ProblemCode[]).filter((code) => wanted.has(code))
}

/** The codes that an operation may answer, by status. */
const refusalsOf = (operation: Operation) => Map.groupBy(inOrder(problemsOf(operation)), statusOf)

/** Every code that some operation may answer. */
export const answeredCodes = (operations: readonly Operation[]): ProblemCode[] =>
  inOrder(operations.flatMap((one) => [...refusalsOf(one).values()].flat()))

const nameOf = (codes: readonly ProblemCode[]) =>
  `${statusOf(codes[0] ?? 'internal-error')}.${codes.join('.')}`

/** Answers that many operations have in the same way, written once: those of everywhere, of bodies, of repetition. */
const shared = new Map(
  [
    ...Map.groupBy(inOrder(everywhere), statusOf).values(),
    inOrder(['malformed-json', 'missing-field', 'invalid-field']),
    ...(['body-too-large', 'not-json', 'idempotency-in-flight', 'idempotency-mismatch'] as const).map(
      (code): ProblemCode[] => [code],
    ),
  ].map((codes) => [nameOf(codes), codes]),
)

export function sharedResponses(operations: readonly Operation[]): Json {
  const used = new Set(operations.flatMap((one) => [...refusalsOf(one).values()].map(nameOf)))
  return Object.fromEntries(
    [...shared].filter(([name]) => used.has(name)).map(([name, codes]) => [name, problemResponse(codes)]),
  )
}

/** Every answer of an operation: the good one, and its own problems and those of everywhere by their status. */
export function responsesOf(operation: Operation, page: Page | undefined, schemas: Schemas): Json {
  const refusals = [...refusalsOf(operation)].map(([status, codes]): [number, Json] => [
    status,
    shared.has(nameOf(codes)) ? refersTo('responses', nameOf(codes)) : problemResponse(codes),
  ])
  return {
    200: success(operation, page, schemas),
    ...(page?.revalidates && {
      304: {
        description: 'Nothing has changed since the answer with that ETag.',
        headers: headersOf(['ETag']),
      },
    }),
    ...(page?.over !== undefined && {
      204: { description: page.over, headers: headersOf(['X-Request-Id']) },
    }),
    ...Object.fromEntries(refusals),
  }
}

function success(operation: Operation, page: Page | undefined, schemas: Schemas): Json {
  const { query } = operation
  const isPaged = query !== undefined && 'cursor' in schemas.parameters(query).properties
  return {
    description: page?.answer.description ?? operation.summary,
    headers: headersOf([
      'X-Request-Id',
      'X-Trace-Id',
      'X-Ignored-Fields',
      ...RATE,
      ...(takesIdempotencyKey(operation) ? (['Idempotent-Replayed'] as const) : []),
      ...(isPaged ? (['Link'] as const) : []),
      ...(page?.revalidates ? (['ETag'] as const) : []),
    ]),
    content: contentOf(operation, page, schemas),
  }
}

/** OpenAPI 3.1 has no words for single events: a stream is a text there. */
function contentOf({ response, events }: Operation, page: Page | undefined, schemas: Schemas): Json {
  const answer = { schema: schemas.output(response), ...(page && { example: page.answer.example }) }
  if (response === EventsOnly) return { 'text/event-stream': answer }
  return {
    'application/json': answer,
    ...(events && {
      'text/event-stream': {
        schema: schemas.output(EventsOnly),
        ...(page?.events && { example: page.events }),
      },
    }),
  }
}

function problemResponse(codes: readonly ProblemCode[]): Json {
  const waits = codes.some((code) => [429, 503].includes(statusOf(code)) || code === 'idempotency-in-flight')
  const isOfKnownKey = codes.some((code) => statusOf(code) !== 401)
  return {
    description: codes.map((code) => `- ${inWords(code, problems[code])}`).join('\n'),
    headers: headersOf([
      'X-Request-Id',
      'X-Trace-Id',
      ...(isOfKnownKey ? (['X-Ignored-Fields', ...RATE] as const) : []),
      ...(waits ? (['Retry-After'] as const) : []),
    ]),
    content: {
      'application/problem+json': {
        schema: refersTo('schemas', 'Problem'),
        examples: Object.fromEntries(codes.map((code) => [code, refersTo('examples', code)])),
      },
    },
  }
}

const inWords = (code: ProblemCode, { errorCode, title, retryable }: Row) =>
  `\`${code}\` (${errorCode}): ${title}.${retryable ? ' The same request may succeed later.' : ''}`
