import { z } from 'zod'
import { audienceOf, type Audience, type AudienceOf, type PathOf } from '#/audience.ts'
import type { ProblemCode } from '#/problems.ts'

/** The services with HTTP operations. */
export type Owner = 'catalog' | 'accounts' | 'orders' | 'payments'

/**
 * The admission class of an operation: the limits that apply to its requests (docs/decisions/0140-admission-package.md).
 *
 * - `order`: checks or places an order.
 * - `password`: always hashes a password, which takes 30 ms of a core.
 * - `read`, `write`: all other requests of applications.
 * - `priority`: requests of restaurants, operators and services, and reads of placed orders. No overload rejects them.
 */
export const ADMISSION_CLASSES = ['order', 'password', 'read', 'write', 'priority'] as const
export type AdmissionClass = (typeof ADMISSION_CLASSES)[number]

/** One HTTP endpoint of a service: its route, its schemas and its problems. `path` has Fastify's `:name` parameters. */
export type Operation = {
  name: string
  method: 'GET' | 'POST' | 'PUT'
  path: string
  /** Derived from the path. */
  audience: Audience
  owner: Owner
  admission: AdmissionClass
  /** Bytes; 64 KiB if absent (docs/interface.md, "Limits"). */
  bodyLimit?: number
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  response: z.ZodType
  /** A GET whose response depends only on its URL, not on the caller. The gateway may respond from its cache. */
  shared?: true
  /** A POST without side effects, so a retry is harmless. It accepts no Idempotency-Key (`takesIdempotencyKey`). */
  changesNothing?: true
  /** Server-Sent Events: the schema of each event's data, by event name. `respondsWithEvents` decides per request. */
  events?: Readonly<Record<string, z.ZodType>>
  /** The problems of this operation; `problemsOf` adds those that all operations share. */
  problems: readonly ProblemCode[]
}

/** An event of an event stream. */
export type EventExample = { event: string; id: string; data: unknown }

/** The documentation of an operation. tests/policy/openapi.test.ts checks each example against its schema. */
type Documentation = {
  summary: string
  /** Markdown. */
  description: string
  /** The content of a successful response. */
  returns: string
  examples: {
    query?: Record<string, unknown>
    /** Request bodies by title. `/docs` offers the first one. */
    bodies?: Record<string, unknown>
    /** Absent when the operation responds with events only. */
    response?: unknown
    events?: readonly EventExample[]
  }
  /** Responses have an ETag: a request with `If-None-Match` can receive a 304. */
  hasETag?: true
  /** The meaning of a 204 response, for an operation that has one. */
  noContent?: string
}

type PublicAudience = Exclude<Audience, 'service'>

/** An operation that the gateway routes and the OpenAPI document describes. */
export type PublicOperation = Operation & Documentation & { audience: PublicAudience }

type Derived = 'audience' | 'problems'

/** `problems` is empty if absent. */
type Declared<O extends Operation, A extends Audience> = Omit<O, Derived> &
  Partial<Pick<O, 'problems'>> & { path: PathOf<A> }

type Complete<O extends Declared<Operation, Audience>> = Omit<O, Derived> &
  Pick<Operation, 'problems'> & { audience: AudienceOf<O['path']> }

const completed = <const O extends Declared<Operation, Audience>>(declared: O): Complete<O> => ({
  problems: [],
  ...declared,
  audience: audienceOf(declared.path) as AudienceOf<O['path']>,
})

/** Declares an operation that the gateway routes. It keeps the exact types of the schemas. */
export const operation = <const O extends Declared<PublicOperation, PublicAudience>>(declared: O) =>
  completed(declared)

type DeclaredInternal = Omit<Declared<Operation, 'service'>, 'method' | 'admission'>

/** Declares an operation between services: a POST that no overload rejects. The gateway does not route it. */
export const internalOperation = <const O extends DeclaredInternal>(declared: O) =>
  completed({ ...declared, method: 'POST', admission: 'priority' })

/** Returns whether an Idempotency-Key is accepted (docs/interface.md, "Idempotency keys"): on every POST with side effects. */
export const takesIdempotencyKey = ({ method, changesNothing }: Operation): boolean =>
  method === 'POST' && changesNothing !== true

const idempotencyProblems: readonly ProblemCode[] = ['idempotency-in-flight', 'idempotency-mismatch']

/** The problems of every operation. */
export const commonProblems: readonly ProblemCode[] = [
  'missing-field',
  'invalid-field',
  'access-token-missing',
  'access-token-invalid',
  'not-allowed',
  'method-not-allowed',
  'rate-limited',
  'internal-error',
  'service-unavailable',
  'overloaded',
]

/** The problems of every POST and PUT, because a body is read even where none is expected. */
export const bodyProblems = ['malformed-json', 'not-json', 'body-too-large', 'raw-card-not-accepted'] as const

/** Returns all problems of an operation. */
export const problemsOf = (one: Operation): readonly ProblemCode[] => [
  ...one.problems,
  ...(one.method === 'GET' ? [] : bodyProblems),
  ...(takesIdempotencyKey(one) ? idempotencyProblems : []),
  ...commonProblems,
]

/** Converts `/user/:apiKey/orders` to `/user/{apiKey}/orders`. */
export const templateOf = (path: string): string => path.replaceAll(/:([^/]+)/g, '{$1}')

/** The response schema of an operation that responds with Server-Sent Events only. */
export const EventsOnly = z.string()

/** Server-Sent Events in `Accept`. With the weight 0 a client excludes them (RFC 9110, 12.4.2). */
const EVENT_STREAM = /(^|[ ,])text\/event-stream\b(?![^,]*;\s*q=0(\.0*)?\s*(,|;|$))/i

/** Returns whether a request with this `Accept` receives Server-Sent Events; other requests receive JSON. */
export const respondsWithEvents = ({ events, response }: Operation, accept: string | undefined): boolean =>
  events !== undefined && (response === EventsOnly || EVENT_STREAM.test(accept ?? ''))
