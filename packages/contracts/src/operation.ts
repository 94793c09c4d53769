import { z } from 'zod'
import type { ProblemCode } from '#/problems.ts'

/** The services that answer HTTP; payments only to the other services. */
export type Owner = 'catalog' | 'accounts' | 'orders' | 'payments'

/** Whose access key may call: one kind of credential for three audiences. */
export type Audience = 'application' | 'restaurant' | 'operator'

/** The path's prefix tells the audience; the gateway holds a key of another kind off with `not-allowed`. */
export const audiences: Record<string, Audience> = {
  '/publicapi/v1': 'application',
  '/restaurantapi/v1': 'restaurant',
  '/operatorapi/v1': 'operator',
}

/**
 * The admission class of an operation: which limits apply to its requests (docs/decisions/0031-admission-control.md).
 *
 * - `order`: checks or accepts an order.
 * - `password`: hashes a password always, which takes 30 ms of a core.
 * - `read`, `write`: all other requests of applications to catalog and accounts.
 * - `priority`: requests of restaurants, operators and services, and reads of accepted orders. No overload rejects them.
 */
export const ADMISSION_CLASSES = ['order', 'password', 'read', 'write', 'priority'] as const
export type AdmissionClass = (typeof ADMISSION_CLASSES)[number]

/**
 * One endpoint: what the gateway routes by, what the owning service validates by, and what the
 * documentation is made from. `path` has Fastify's `:name` parameters.
 */
export type Operation = {
  name: string
  summary: string
  method: 'GET' | 'POST' | 'PUT'
  path: string
  owner: Owner
  admission: AdmissionClass
  /** Bytes; 64 KiB when absent (docs/interface.md, "Limits"). */
  bodyLimit?: number
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  response: z.ZodType
  /** A GET whose response depends on its URL only, never on who requests it: the gateway may answer from its cache. */
  shared?: true
  /** A POST that stores nothing which a repetition would store again: it takes no Idempotency-Key, see `takesIdempotencyKey`. */
  changesNothing?: true
  /** Server-Sent Events, by name, and the data of each: answered where `answersEvents` says so. */
  events?: Readonly<Record<string, z.ZodType>>
  /** Those that are the endpoint's own; `problemsOf` has all that it may answer. */
  problems: readonly ProblemCode[]
}

/** Declares an endpoint; keeps the exact types of its schemas. */
export const operation = <const O extends Operation>(declared: O): O => declared

/** Whether an Idempotency-Key is honoured (docs/interface.md): on every POST that changes something. */
export const takesIdempotencyKey = ({ method, changesNothing }: Operation): boolean =>
  method === 'POST' && changesNothing !== true

const ofRepetition: readonly ProblemCode[] = ['idempotency-in-flight', 'idempotency-mismatch']

/** Everything that an endpoint may answer. */
export const problemsOf = (one: Operation): readonly ProblemCode[] => [
  ...one.problems,
  ...(takesIdempotencyKey(one) ? ofRepetition : []),
  ...everywhere,
]

/** `/user/:apiKey/orders` to `/user/{apiKey}/orders`. */
export const templateOf = (path: string): string => path.replaceAll(/:([^/]+)/g, '{$1}')

/** What any endpoint may answer. */
export const everywhere: readonly ProblemCode[] = [
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

/** The response of an endpoint that answers Server-Sent Events and nothing else. */
export const EventsOnly = z.string()

/** Whether a request with that `Accept` is answered by Server-Sent Events; plain answers are there for everyone else. */
export const answersEvents = ({ events, response }: Operation, accept: string | undefined): boolean =>
  events !== undefined && (response === EventsOnly || /(^|[ ,])text\/event-stream\b/i.test(accept ?? ''))
