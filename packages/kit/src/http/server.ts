import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { App } from '#/http/app.ts'
import { createHttpsServer } from '#/http/https-server.ts'
import { BODY_LIMIT } from '#/http/body-parsers.ts'
import { handleNodeSpecialCases, rejectMalformed } from '#/http/malformed-requests.ts'
import { noSuchEndpoint } from '#/http/no-such-endpoint.ts'
import { problemOf } from '#/http/problem-of-error.ts'
import { Problem, problemResponse } from '#/http/problem.ts'
import { nameTrace, observeRequests } from '#/http/request-telemetry.ts'
import { RESPONSE_HEADERS } from '#/http/response-headers.ts'
import { requestIdOf } from '#/lifecycle/ids.ts'
import { OVERLOADED_HEADER } from '#/limits/concurrency-limit.ts'
import { PRINCIPAL_HEADER } from '#/security/principal-token.ts'
import type { Log } from '#/telemetry/log.ts'

/** Also for the first byte of a new connection: a connection whose client sends nothing is closed after that. */
const HEAD_TIMEOUT_MS = 5_000
/**
 * How often late connections are closed. At the gateway, of 2,000 slow connections six are due each 20 ms, which takes 1 ms; 30
 * each 100 ms made one request in twenty wait for 6 ms (p99 of other requests 1.2 and 1.5 times as long as alone, instead of 1.0
 * and 1.1). The gateway is the only client of the other services: once a second is enough there, and saves 0.5 % of a core for
 * each process, because Node examines all connections each time.
 */
const LATE_CHECK_INTERVAL_MS = { public: 20, internal: 1_000 } as const
/** Head and body: enough for the largest menu, 4 MiB, at 2.3 Mbit/s. */
const REQUEST_TIMEOUT_MS = 15_000
/** A connection without traffic for this time is closed. Twice the interval of the comments in an event stream. */
const IDLE_TIMEOUT_MS = 30_000
const KEEP_ALIVE_TIMEOUT_MS = 65_000

/** Options of the router. Percent-encoded, each of the 255 characters of an Idempotency-Key in the path of order-by-key may take three. */
export const ROUTING = { ignoreTrailingSlash: true, maxParamLength: 3 * 255 } as const

type Exposed = {
  trustedProxies: readonly string[]
  rejectsEarly?: (request: IncomingMessage, response: ServerResponse) => boolean
}

type Options = {
  /** The folder of the certificate, see `createHttpsServer`. Without it the server speaks clear text. */
  tlsDirectory?: string | undefined
  exposed?: Exposed
}

/**
 * The Fastify server of a process: request ids, trailing slashes tolerated, one error handler, one log line for each request
 * without body and query. The caller adds the body parsers: `readJson` (a service) or `readBytes` (the gateway). `exposed`: a
 * server that clients reach directly. Its `trustedProxies` (addresses, CIDR ranges) may set X-Forwarded-For. `rejectsEarly` returns
 * true for a request that it responds to, before Fastify.
 */
export function createApp(log: Log, options: Options = {}): App {
  const trustedProxies = options.exposed?.trustedProxies ?? []
  const app = Fastify({
    // A pino logger; the type Log declares a part of it.
    loggerInstance: log as unknown as FastifyBaseLogger,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    // Fastify's own timeouts do not apply to a server of a factory.
    serverFactory: (handle) => serverFor(handle, log, options),
    clientErrorHandler: rejectMalformed,
    frameworkErrors: (_error, request, reply) =>
      void sendProblem(
        new Problem('invalid-field', 'The path of the request cannot be read.'),
        request,
        reply,
      ),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: BODY_LIMIT,
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    // While the process stops, requests on open connections are served, see `drain`.
    return503OnClosing: false,
    routerOptions: ROUTING,
    genReqId: requestIdOf,
    // Without options: with the empty options that Fastify passes, pino configures each child again.
    childLoggerFactory: (logger, bindings) => logger.child(bindings),
  }) as unknown as App
  handleNodeSpecialCases(app)
  observeRequests(app)
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(RESPONSE_HEADERS).header('x-request-id', request.id)
    // RFC 9112, C.2.2: in HTTP/1.0 a proxy may forward a keep-alive that it does not understand.
    if (request.raw.httpVersion === '1.0') reply.raw.shouldKeepAlive = false
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      return done(new Problem('invalid-field', 'The header field Host is missing.'))
    done()
  })
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendProblem(problemOf(error, request), request, reply),
  )
  app.setNotFoundHandler((request, reply) => sendProblem(noSuchEndpoint(request), request, reply))
  return app
}

function serverFor(handle: RequestListener, log: Log, { tlsDirectory, exposed }: Options) {
  const options = {
    requireHostHeader: false,
    headersTimeout: HEAD_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: LATE_CHECK_INTERVAL_MS[exposed ? 'public' : 'internal'],
  }
  const serve: RequestListener = (request, response) => {
    if (!exposed?.rejectsEarly?.(request, response)) handle(request, response)
  }
  if (!tlsDirectory) return createServer(options, serve).setTimeout(IDLE_TIMEOUT_MS)
  const secure = { ...options, handshakeTimeout: HEAD_TIMEOUT_MS }
  return createHttpsServer({ directory: tlsDirectory, log, options: secure }, serve).setTimeout(
    IDLE_TIMEOUT_MS,
  )
}

/** zod parses and renders. With compilers given, Fastify does not load ajv: 50 ms of CPU at each start. */
function refuseSchema(): never {
  throw new Error('a route has no schema for Fastify: declare an operation in contracts')
}

function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply) {
  // Every 5xx but 503 is a defect. A 503 is expected during an outage, and a second log line for each would add to an overload.
  if (problem.code === 'overloaded') request.log.debug({ code: problem.code }, 'problem')
  else if (problem.status === 503)
    request.log.warn({ code: problem.code, reason: reasonOf(problem) }, 'problem')
  else if (problem.status >= 500)
    request.log.error({ code: problem.code, err: problem.cause ?? problem }, 'problem')
  if (problem.status >= 500) nameTrace(request, reply)
  if (problem.code === 'overloaded' && request.headers[PRINCIPAL_HEADER] !== undefined)
    void reply.header(OVERLOADED_HEADER, 'true')
  // Fastify would close the connection while the client still sends, and three of four clients that send 5 MB would see a reset
  // instead of this response. Node reads and discards the rest, for at most `requestTimeout`.
  if (problem.code === 'body-too-large') void reply.removeHeader('connection')
  const { headers, body } = problemResponse(problem, request.id, request.url)
  return reply.code(problem.status).headers(headers).send(body)
}

const reasonOf = ({ cause, message }: Problem): string => (cause instanceof Error ? cause.message : message)
