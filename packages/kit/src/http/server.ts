import type { RequestListener } from 'node:http'
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
import { reasonOf, type Log } from '#/telemetry/log.ts'

// An import reads all properties, and `http.WebSocket` loads Node's own undici: 14 MB, and 50 ms of CPU at each start.
const { createServer } = process.getBuiltinModule('node:http')

/** The time for the request head. It also applies to the first byte of a new connection: an unused connection is closed. */
const HEAD_TIMEOUT_MS = 5_000
/**
 * The interval between checks for late connections, in milliseconds. With 2,000 slow connections at the gateway, a check every 20
 * ms closes six of them in 1 ms. A check every 100 ms closes 30 and delays one request in twenty by 6 ms. The p99 of other requests
 * is then 1.2 and 1.5 times the p99 without load, instead of 1.0 and 1.1. The other services have only the gateway as client, so
 * one check a second is enough. It saves 0.5 % of a core for each process, because each check examines all connections.
 */
const LATE_CHECK_INTERVAL_MS = { public: 20, internal: 1_000 } as const
/** The time for head and body. It is enough for the largest menu, 4 MiB, at 2.3 Mbit/s. */
const REQUEST_TIMEOUT_MS = 15_000
/**
 * The size of a request head in bytes, by default 16 KiB. The gateway forwards a head with further fields, so services accept twice
 * as much. Otherwise a service would reject a head that the gateway has accepted, with another request id than that of the gateway.
 */
const HEAD_BYTES = { public: 16_384, internal: 32_768 } as const
/** A connection without traffic for this time is closed. The value is twice the comment interval of event streams. */
const IDLE_TIMEOUT_MS = 30_000
const KEEP_ALIVE_TIMEOUT_MS = 65_000

/**
 * Options of the router. The path of order-by-key contains an Idempotency-Key of up to 255 characters; percent-encoded, each may
 * take three.
 */
const ROUTING = { ignoreTrailingSlash: true, maxParamLength: 3 * 255 } as const

type Options = {
  /** The folder of the certificate, see `createHttpsServer`. Without it the server uses plain HTTP. */
  tlsDirectory?: string | undefined
  /** For a server that clients reach directly. These addresses and CIDR ranges may set X-Forwarded-For. */
  exposed?: { trustedProxies: readonly string[] }
}

/** Fastify reads no body of these methods. */
const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/**
 * Creates the Fastify server of a process. It assigns request ids, ignores trailing slashes, has one error handler, and logs one
 * line for each request without body and query. The caller adds the body parsers: `readJson` (a service) or `readBytes` (the
 * gateway).
 */
export function createApp(log: Log, options: Options = {}): App {
  const trustedProxies = options.exposed?.trustedProxies ?? []
  const app = Fastify({
    // The logger is pino; the type Log declares a part of its interface.
    loggerInstance: log as unknown as FastifyBaseLogger,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    // Fastify's timeout options do not apply with a server factory.
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
    // A stopping process still serves requests on open connections, see `drain`.
    return503OnClosing: false,
    routerOptions: ROUTING,
    genReqId: requestIdOf,
    // Omits the empty options that Fastify passes: with them, pino configures each child again.
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
    // Before the body is read: 10,000 clients without an access key could make the gateway hold 64 KiB each.
    if (request.is404 && !BODYLESS.has(request.method)) return done(noSuchEndpoint(request))
    done()
  })
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendProblem(problemOf(error, request), request, reply),
  )
  app.setNotFoundHandler((request, reply) => sendProblem(noSuchEndpoint(request), request, reply))
  return app
}

function serverFor(handle: RequestListener, log: Log, { tlsDirectory, exposed }: Options) {
  const audience = exposed ? 'public' : 'internal'
  const options = {
    requireHostHeader: false,
    maxHeaderSize: HEAD_BYTES[audience],
    headersTimeout: HEAD_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: LATE_CHECK_INTERVAL_MS[audience],
  }
  const serve: RequestListener = (request, response) => {
    // A client with this header would pass as a service: it would decide on sampling, and see internal headers.
    if (exposed) delete request.headers[PRINCIPAL_HEADER]
    handle(request, response)
  }
  if (!tlsDirectory) return createServer(options, serve).setTimeout(IDLE_TIMEOUT_MS)
  const secure = { ...options, handshakeTimeout: HEAD_TIMEOUT_MS }
  return createHttpsServer({ directory: tlsDirectory, log, options: secure }, serve).setTimeout(
    IDLE_TIMEOUT_MS,
  )
}

/**
 * Rejects Fastify schemas, because zod parses and renders. With custom compilers, Fastify does not load ajv, which takes 50 ms of
 * CPU at each start.
 */
function refuseSchema(): never {
  throw new Error('a route has no schema for Fastify: declare an operation in contracts')
}

function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply) {
  // Every 5xx except 503 is a defect. A 503 is expected during an outage. `overloaded` is not logged, because a second line for
  // each request would add to the overload.
  if (problem.code === 'overloaded') request.log.debug({ code: problem.code }, 'problem')
  else if (problem.status === 503)
    request.log.warn({ code: problem.code, reason: reasonOf(problem) }, 'problem')
  else if (problem.status >= 500)
    request.log.error({ code: problem.code, err: problem.cause ?? problem }, 'problem')
  if (problem.status >= 500) nameTrace(request, reply)
  if (problem.code === 'overloaded' && request.headers[PRINCIPAL_HEADER] !== undefined)
    void reply.header(OVERLOADED_HEADER, 'true')
  // Fastify would close the connection while the client still sends. Three of four clients that send 5 MB would then receive a
  // reset instead of this response. Node reads and discards the rest, for at most `requestTimeout`.
  if (problem.code === 'body-too-large') void reply.removeHeader('connection')
  const { headers, body } = problemResponse(problem, request.id, request.url)
  return reply.code(problem.status).headers(headers).send(body)
}
