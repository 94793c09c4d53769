import { answersEvents, operations } from '@platter/contracts'
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
  startEntry,
  type Attributes,
  type Entry,
  type Origin,
} from '#/telemetry/telemetry.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The template of its path; undefined where there is no endpoint. */
    route: string | undefined
    /** Null when its trace is not recorded. */
    entry: Entry | null
    /** Of the key that it came with, at the gateway, once that is known. */
    accessKeyId: string | null
    /** The order that it is about, once that is known. */
    orderApiKey: string | null
  }
}

const duration = histogram('http.server.request.duration', {
  unit: 's',
  description: 'Duration of requests, from their head to the last byte of the answer.',
  advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
})

const isProbe = ({ route }: FastifyRequest): boolean => route?.startsWith('/health/') ?? false

/** A stream of events lasts as long as somebody reads it: its duration says nothing about us. */
function isStream({ headers, method, route }: FastifyRequest): boolean {
  const operation = byRoute.get(`${method} ${route}`)
  return operation !== undefined && answersEvents(operation, headers.accept)
}

const byRoute = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]))

/** Of each request: a span if its trace is recorded, a measurement, and one log line; never its query, headers or body. */
export function observeRequests(app: App): void {
  app.decorateRequest('route')
  app.decorateRequest('entry', null)
  app.decorateRequest('accessKeyId', null)
  app.decorateRequest('orderApiKey', null)
  app.addHook('onRequest', (request, reply, done) => {
    // Once: Fastify makes `routeOptions` anew, with twelve members, whenever it is read.
    request.route = request.routeOptions.url
    if (!isTelemetryOn() || isProbe(request)) return done()
    const entry = startEntry(originOf(request), entranceOf(request), { mayBegin: isFromOutside(request) })
    if (!entry) return done()
    request.entry = entry
    void reply.header('x-trace-id', entry.traceId)
    entry.run(done)
  })
  // Reading a body ends in the connection's context; from here on it is the request's again.
  app.addHook('preValidation', (request, _reply, done) => (request.entry ? request.entry.run(done) : done()))
  app.addHook('onResponse', (request, reply, done) => {
    const { entry } = request
    request.orderApiKey ??= orderInPath(request)
    if (!entry) outsideTraces(() => tell(request, reply))
    else entry.run(() => tell(request, reply))
    if (isTelemetryOn() && !isProbe(request)) measure(request, reply)
    done()
  })
}

const originOf = ({ headers, id }: FastifyRequest): Origin => ({
  traceparent: headers['traceparent'],
  requestId: id,
})

/** Requests of the gateway and of services carry a principal; the process that sent them has decided about their trace. */
const isFromOutside = ({ headers }: FastifyRequest): boolean => headers[PRINCIPAL_HEADER] === undefined

/** Names in the answer the trace of a failure, which is recorded although its trace is not sampled. */
export function nameTrace(request: FastifyRequest, reply: FastifyReply): void {
  if (isTelemetryOn() && !request.entry) void reply.header('x-trace-id', failureTraceId(originOf(request)))
}

function entranceOf({ method, route }: FastifyRequest) {
  return {
    name: route === undefined ? method : `${method} ${route}`,
    kind: SpanKind.SERVER,
    attributes: () => ({
      'http.request.method': method,
      'url.scheme': 'http',
      'network.protocol.name': 'http',
      ...(route !== undefined && { 'http.route': route }),
    }),
  }
}

function measure(request: FastifyRequest, reply: FastifyReply): void {
  const { entry, id, method, route, orderApiKey } = request
  const { statusCode, elapsedTime } = reply
  const measured: Attributes = { 'http.request.method': method, 'http.response.status_code': statusCode }
  if (route !== undefined) measured['http.route'] = route
  if (!isStream(request)) duration(elapsedTime / 1_000, measured)
  const failure = statusCode >= 500 ? String(statusCode) : null
  if (!entry && failure === null) return
  const attributes = {
    'http.response.status_code': statusCode,
    'platter.request.id': id,
    // In a path it may be any text of the client.
    ...(orderApiKey !== null && { 'platter.order.api_key': scrub(orderApiKey) }),
  }
  if (entry) entry.end(attributes, failure)
  else if (failure !== null)
    recordFailure(originOf(request), entranceOf(request), {
      startTime: Date.now() - elapsedTime,
      attributes,
      failure,
    })
}

/** A request that was refused at once, with nothing else of it observed. */
export function measureRejected(method: string, route: string, status: number): void {
  duration(0, { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status })
}

function tell(request: FastifyRequest, reply: FastifyReply): void {
  const { method, route, accessKeyId, orderApiKey } = request
  const line = {
    ...(accessKeyId !== null && { accessKeyId }),
    ...(orderApiKey !== null && { orderApiKey }),
    method,
    route,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
  }
  if (isProbe(request)) request.log.debug(line, 'request')
  else request.log.info(line, 'request')
}

const ORDER_PATH = /\/orders?\/:apiKey(\/|$)/

function orderInPath({ route, params }: FastifyRequest): string | null {
  if (route === undefined || !ORDER_PATH.test(route)) return null
  return (params as { apiKey: string }).apiKey
}
