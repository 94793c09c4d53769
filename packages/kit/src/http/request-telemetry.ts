import { respondsWithEvents, operations } from '@platter/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '#/http/app.ts'
import { histogram } from '#/telemetry/metrics.ts'
import { PRINCIPAL_HEADER } from '#/security/principal-token.ts'
import { scrub } from '#/telemetry/scrub.ts'
import {
  failureTraceId,
  isTelemetryOn,
  outsideTraces,
  recordFailure,
  SpanKind,
  startRootSpan,
  type Origin,
  type RootSpan,
  type SpanDescription,
} from '#/telemetry/spans.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The path template; undefined if no endpoint matches. */
    route: string | undefined
    /** Null if the trace is not recorded. */
    rootSpan: RootSpan | null
    /** The id of the access key. Only the gateway sets it, after it has resolved the key. */
    accessKeyId: string | null
    /** The order that the request concerns; null until it is known. */
    orderApiKey: string | null
    /** Admission control has rejected the request and counted it. It has no log line, and is no failure. */
    isRejected: boolean
  }
}

const duration = histogram('http.server.request.duration')

const isProbe = ({ route }: FastifyRequest): boolean => route?.startsWith('/health/') ?? false

/** The client decides how long an event stream lasts, so its duration does not measure the service. */
function isStream({ headers, method, route }: FastifyRequest): boolean {
  const operation = byRoute.get(`${method} ${route}`)
  return operation !== undefined && respondsWithEvents(operation, headers.accept)
}

const byRoute = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]))

/** Records a span (if the trace is recorded), a duration and one log line for each request; never its query, headers or body. */
export function observeRequests(app: App): void {
  app.decorateRequest('route')
  app.decorateRequest('rootSpan', null)
  app.decorateRequest('accessKeyId', null)
  app.decorateRequest('orderApiKey', null)
  app.decorateRequest('isRejected', false)
  app.addHook('onRequest', (request, reply, done) => {
    // `routeOptions` is read only once, because each read creates an object with twelve members.
    request.route = request.routeOptions.url
    // Fastify calls onResponse only after a complete response: a client that disconnects earlier would leave no log line.
    reply.raw.once('close', () => recordEnd(request, reply))
    if (!isTelemetryOn() || isProbe(request)) return done()
    const describe = () => describeSpan(request)
    const rootSpan = startRootSpan(originOf(request), describe, { mayBegin: isFromOutside(request) })
    if (!rootSpan) return done()
    request.rootSpan = rootSpan
    void reply.header('x-trace-id', rootSpan.traceId)
    rootSpan.run(done)
  })
  // The body parser ends in the async context of the connection. This hook restores the context of the request.
  app.addHook('preValidation', (request, _reply, done) =>
    request.rootSpan ? request.rootSpan.run(done) : done(),
  )
}

function recordEnd(request: FastifyRequest, reply: FastifyReply): void {
  const { rootSpan } = request
  // The client disconnected before the response began. nginx logs the same status.
  if (!reply.raw.headersSent) reply.raw.statusCode = 499
  request.orderApiKey ??= orderInPath(request)
  if (!rootSpan) outsideTraces(() => logRequest(request, reply))
  else rootSpan.run(() => logRequest(request, reply))
  if (isTelemetryOn() && !isProbe(request)) measure(request, reply)
}

const originOf = ({ headers, id }: FastifyRequest): Origin => ({
  traceparent: headers['traceparent'],
  requestId: id,
})

/** Requests from the gateway and from services have a principal. The sending process has made the sampling decision. */
const isFromOutside = ({ headers }: FastifyRequest): boolean => headers[PRINCIPAL_HEADER] === undefined

/** Adds the trace id of a failure to the response. A failure is recorded even if its trace is not sampled. */
export function nameTrace(request: FastifyRequest, reply: FastifyReply): void {
  if (isTelemetryOn() && !request.rootSpan && !request.isRejected)
    void reply.header('x-trace-id', failureTraceId(originOf(request)))
}

const describeSpan = ({ method, route, protocol }: FastifyRequest): SpanDescription => ({
  name: route === undefined ? method : `${method} ${route}`,
  kind: SpanKind.SERVER,
  attributes: {
    'http.request.method': method,
    'url.scheme': protocol,
    'network.protocol.name': 'http',
    ...(route !== undefined && { 'http.route': route }),
  },
})

function measure(request: FastifyRequest, reply: FastifyReply): void {
  const { rootSpan, id, method, route, orderApiKey, isRejected } = request
  const { statusCode, elapsedTime } = reply
  const measured = { 'http.request.method': method, 'http.response.status_code': statusCode }
  if (!isStream(request))
    duration(elapsedTime / 1_000, route === undefined ? measured : { ...measured, 'http.route': route })
  const failure = statusCode >= 500 && !isRejected ? String(statusCode) : null
  if (!rootSpan && failure === null) return
  const attributes = {
    'http.response.status_code': statusCode,
    'platter.request.id': id,
    // An orderApiKey from a path is arbitrary text from the client.
    ...(orderApiKey !== null && { 'platter.order.api_key': scrub(orderApiKey) }),
  }
  if (rootSpan) rootSpan.end(attributes, failure)
  else if (failure !== null)
    recordFailure(originOf(request), () => describeSpan(request), {
      startTime: Date.now() - elapsedTime,
      attributes,
      failure,
    })
}

function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method, route, accessKeyId, orderApiKey } = request
  const line = {
    ...(accessKeyId !== null && { accessKeyId }),
    ...(orderApiKey !== null && { orderApiKey }),
    method,
    route,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
  }
  if (isProbe(request) || request.isRejected) request.log.debug(line, 'request')
  else request.log.info(line, 'request')
}

const ORDER_PATH = /\/orders?\/:apiKey(\/|$)/

function orderInPath({ route, params }: FastifyRequest): string | null {
  if (route === undefined || !ORDER_PATH.test(route)) return null
  return (params as { apiKey: string }).apiKey
}
