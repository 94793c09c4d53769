import { takesIdempotencyKey, type Operation, type Principal, type PrincipalOf } from '@platter/contracts'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { z } from 'zod'
import { ANSWER_HEADERS } from '#/http/answer-headers.ts'
import type { App } from '#/http/app.ts'
import { BODY_LIMIT, bodyTooLarge } from '#/http/bodies.ts'
import { OVERLOADED_HEADER } from '#/limits/concurrency-limit.ts'
import { Deadline } from '#/http/deadline.ts'
import { EventStream } from '#/http/event-stream.ts'
import { idempotencyScope, type IdempotencyScope } from '#/http/idempotency.ts'
import { requestIdOf } from '#/lifecycle/ids.ts'
import { jsonRenderer } from '#/http/json-renderer.ts'
import type { Log } from '#/telemetry/log.ts'
import { noSuchEndpoint } from '#/http/no-such-endpoint.ts'
import { requestParser, type Parsed } from '#/http/parse.ts'
import { PRINCIPAL_HEADER, principalVerifier, type InternalSecrets } from '#/security/principal-token.ts'
import { Problem, PROBLEM_TYPE, problemAnswer } from '#/http/problem.ts'
import { ignoredFields, type UnknownField } from '#/http/request-fields.ts'
import { nameTrace, observeRequests } from '#/http/requests.ts'
import { answerWhatNodeWouldNot, refuseUnreadable } from '#/http/unreadable.ts'

/** Also for the first byte of a new connection: idle connections of a client that sends nothing are closed after that. */
const HEAD_WITHIN_MS = 5_000
/**
 * How often the gateway closes connections that are late. Of 2,000 slow ones six are due each 20 ms, which takes 1 ms;
 * 30 each 100 ms made one request in twenty wait for 6 (p99 of others 1.0 and 1.1 times as long as alone, instead of
 * 1.2 and 1.5). The other services have our own gateway as their only client: once a second is enough there, and saves
 * 0.5 % of a core per process (Node looks at all connections each time).
 */
const LATE_CHECKED_EVERY_MS = { public: 20, internal: 1_000 } as const
/** Head and body. A menu has 4 MiB at most: enough for 2.3 Mbit/s. */
const REQUEST_WITHIN_MS = 15_000
/** A client that reads nothing for this time is disconnected. Twice the interval of the comments in an event stream. */
const NOTHING_MOVES_MS = 30_000

const JSON_TYPE = 'application/json; charset=utf-8'

/** How a path finds its route. Three characters for each of the 255 of an Idempotency-Key, which order-by-key has in its path. */
export const ROUTING = { ignoreTrailingSlash: true, maxParamLength: 3 * 255 } as const

/**
 * A Fastify server as each of our processes needs it: request ids, a trailing slash tolerated, one error
 * handler for all, one log line a request with neither body nor query. Bodies are left to `readJson` (a
 * service) or to `readBytes` (the gateway). `exposed`: a server that clients reach directly. Its `trustedProxies`
 * (addresses, CIDR ranges) may set X-Forwarded-For.
 */
export function createApp(log: Log, exposed?: { trustedProxies: readonly string[] }): App {
  const trustedProxies = exposed?.trustedProxies ?? []
  const app = Fastify({
    // The whole of pino, of which a Log shows less.
    loggerInstance: log as unknown as FastifyBaseLogger,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    http: {
      requireHostHeader: false,
      headersTimeout: HEAD_WITHIN_MS,
      connectionsCheckingInterval: LATE_CHECKED_EVERY_MS[exposed ? 'public' : 'internal'],
    },
    connectionTimeout: NOTHING_MOVES_MS,
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (_error, request, reply) =>
      void answerProblem(
        new Problem('invalid-field', 'The path of the request cannot be read.'),
        request,
        reply,
      ),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: BODY_LIMIT,
    // While stopping, what still comes in on open connections is served, see `drain`.
    return503OnClosing: false,
    requestTimeout: REQUEST_WITHIN_MS,
    keepAliveTimeout: 65_000,
    routerOptions: ROUTING,
    genReqId: requestIdOf,
    // Without options: with the empty ones that Fastify passes, pino sets each child up anew.
    childLoggerFactory: (logger, bindings) => logger.child(bindings),
  }) as unknown as App
  answerWhatNodeWouldNot(app)
  observeRequests(app)
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(ANSWER_HEADERS).header('x-request-id', request.id)
    // Only clients that cannot tell where an answer ends ask for it (RFC 9112, C.2.2), and proxies that get it wrong.
    if (request.raw.httpVersion === '1.0') reply.raw.shouldKeepAlive = false
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      return done(new Problem('invalid-field', 'The header field Host is missing.'))
    done()
  })
  app.setErrorHandler((error: FastifyError, request, reply) =>
    answerProblem(asProblem(error, request), request, reply),
  )
  app.setNotFoundHandler((request, reply) => answerProblem(noSuchEndpoint(request), request, reply))
  return app
}

function answerProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply) {
  // Every 5xx but 503 is a defect. A 503 is expected during an outage, and its request log line is enough: a second line for
  // each would add to an overload.
  if (problem.code === 'overloaded') request.log.debug({ code: problem.code }, 'problem')
  else if (problem.status === 503)
    request.log.warn({ code: problem.code, reason: reasonOf(problem) }, 'problem')
  else if (problem.status >= 500)
    request.log.error({ code: problem.code, err: problem.cause ?? problem }, 'problem')
  if (problem.status >= 500) nameTrace(request, reply)
  if (problem.code === 'overloaded' && request.headers[PRINCIPAL_HEADER] !== undefined)
    void reply.header(OVERLOADED_HEADER, 'true')
  // Fastify would close the connection on what is still to come, and three of four clients that send 5 MB would
  // see it reset instead of this answer. Node reads the rest and throws it away, for requestTimeout at most.
  if (problem.code === 'body-too-large') void reply.removeHeader('connection')
  const { headers, body } = problemAnswer(problem, request.id, request.url)
  return reply.code(problem.status).headers(headers).send(body)
}

/** An operation's path with its parameters: the same for all encodings of a URL. */
const plainPathOf = ({ path }: Operation, { params }: FastifyRequest): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((params as Record<string, string>)[name] ?? ''),
  )

const reasonOf = ({ cause, message }: Problem): string => (cause instanceof Error ? cause.message : message)

/**
 * SQLSTATE classes and Node codes that mean "the database or a connection is unavailable", not a defect. 55P03 and 57014 are
 * waits that ended with lock_timeout (1 s) and statement_timeout (3 s), as when the disk takes seconds for the commit that holds
 * the row's lock; nothing was done then.
 */
const AWAY = /^(08|53|55P03|57|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/
const AWAY_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/

/** Whether an error means that a server we depend on is unavailable or too slow at the moment. */
export const isAway = (error: unknown): boolean =>
  error instanceof Error &&
  ((error instanceof Problem && error.status === 503) ||
    AWAY.test((error as NodeJS.ErrnoException).code ?? '') ||
    AWAY_MESSAGES.test(error.message))

function asProblem(error: FastifyError, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request)
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Problem('not-json', 'The body must be sent as application/json.')
  // Node's error for a client that disconnects in the middle of its body; its code is that of a lost server.
  if (error.message === 'aborted') return new Problem('malformed-json', 'The body is not whole.')
  if (isAway(error))
    return new Problem('service-unavailable', 'A part of the service is not available. Please try again.', {
      cause: error,
    })
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new Problem('malformed-json', 'The request cannot be read.', { cause: error })
  }
  return new Problem('internal-error', 'Something went wrong on our side.', { cause: error })
}

/** Bytes that are sent as they are: what they hold was checked when they were made. null: an answer without a body. */
export class Rendered {
  readonly body: Buffer | string | null
  readonly status: number
  constructor(body: Buffer | string | null, status = 200) {
    this.body = body
    this.status = status
  }
}

/** Which kind of principal a path is for. */
type Caller<Path extends string> = Path extends `/publicapi/${string}`
  ? PrincipalOf<'application'>
  : Path extends `/restaurantapi/${string}`
    ? PrincipalOf<'restaurant'>
    : Path extends `/operatorapi/${string}`
      ? PrincipalOf<'operator'>
      : PrincipalOf<'service'>

const CALLERS: readonly [string, Principal['kind']][] = [
  ['/publicapi/', 'application'],
  ['/restaurantapi/', 'restaurant'],
  ['/operatorapi/', 'operator'],
  ['/internal/', 'service'],
]

type Output<S> = S extends z.ZodType ? z.output<S> : undefined

/** A request as a handler gets it: parsed, and from a principal of the right kind. */
export type Call<O extends Operation> = {
  params: Output<O['params']>
  query: Output<O['query']>
  body: Output<O['body']>
  principal: Caller<O['path']>
  requestId: string
  /** The time by which the request is answered. Its calls and waits get the remaining time at most. */
  deadline: Deadline
  headers: FastifyRequest['headers']
  /** The request's path and query, as sent. */
  url: string
  /** Fields of the request that the operation does not know; the answer names them in `X-Ignored-Fields`. */
  unknownFields: readonly UnknownField[]
  /** For a request with an Idempotency-Key, of an operation that takes one. */
  idempotency: IdempotencyScope | null
  setHeader: (name: string, value: string) => void
  /** Adds the order's apiKey to the request's log line and span. */
  concerns: (orderApiKey: string) => void
}

export type Handler<O extends Operation> = (
  call: Call<O>,
) => Promise<z.input<O['response']> | Rendered | EventStream>

/** Declares the routes of a service: `route(operation, handler)`. Method, path, schemas and audience are the operation's. */
export function router(app: App, secrets: InternalSecrets) {
  const verify = principalVerifier(secrets)
  return function route<const O extends Operation>(operation: O, handler: Handler<O>): void {
    const parse = requestParser(operation)
    const render = responseRenderer(operation)
    const kind = CALLERS.find(([prefix]) => operation.path.startsWith(prefix))?.[1]
    app.route({
      method: operation.method,
      url: operation.path,
      bodyLimit: operation.bodyLimit ?? BODY_LIMIT,
      async handler(request, reply) {
        const principal = await verify(
          request.headers[PRINCIPAL_HEADER] as string | undefined,
          operation.owner,
        )
        if (!principal) throw new Problem('access-token-invalid', 'The access key is not valid.')
        if (principal.kind !== kind)
          throw new Problem('not-allowed', 'This kind of access key may not do this.')
        const { values, unknownFields } = accepted(parse(request), reply)
        const header = takesIdempotencyKey(operation) ? request.headers['idempotency-key'] : undefined
        const call = {
          ...values,
          unknownFields,
          principal,
          idempotency:
            header === undefined
              ? null
              : idempotencyScope(header, {
                  principal,
                  path: plainPathOf(operation, request),
                  body: values.body,
                  secrets,
                }),
          ...restOfCall(request, reply),
        } as Call<O>
        const answer = await handler(call)
        if (answer instanceof EventStream) return answer.start(request, reply)
        if (!(answer instanceof Rendered)) return reply.type(JSON_TYPE).send(render(answer))
        if (answer.body === null) return reply.code(answer.status).send()
        return reply
          .code(answer.status)
          .type(answer.status === 200 ? JSON_TYPE : PROBLEM_TYPE)
          .send(answer.body)
      },
    })
  }
}

/** Throws the problem of a request that has one; its answer names the unknown fields as well. */
function accepted(parsed: Parsed, reply: FastifyReply): Parsed {
  const { problem, unknownFields } = parsed
  if (unknownFields.length > 0) void reply.header('x-ignored-fields', ignoredFields(unknownFields))
  if (problem) throw problem
  return parsed
}

/** The parts of a `Call` beside the parsed request: its context, and the setters of response header fields. */
const restOfCall = (request: FastifyRequest, reply: FastifyReply) => ({
  requestId: request.id,
  deadline: Deadline.of(request.headers, reply.elapsedTime),
  headers: request.headers,
  url: request.url,
  setHeader: (name: string, value: string) => void reply.header(name, value),
  concerns: (orderApiKey: string) => void (request.orderApiKey = orderApiKey),
})

/** Turns a handler's answer into the JSON of its operation. */
export const responseRenderer = ({ name, response }: Operation): ((answer: unknown) => string) =>
  jsonRenderer(name, response)
