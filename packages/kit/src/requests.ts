import { answersEvents, operations } from '@platter/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './http.ts'
import { scrub } from './scrub.ts'
import { Entry, histogram, isTelemetryOn, SpanKind, type Attributes } from './telemetry.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where it came into the trace; null without telemetry. */
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

const isProbe = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.url?.startsWith('/health/') ?? false

/** A stream of events lasts as long as somebody reads it: its duration says nothing about us. */
function isStream({ headers, method, routeOptions }: FastifyRequest): boolean {
  const operation = byRoute.get(`${method} ${routeOptions.url}`)
  return operation !== undefined && answersEvents(operation, headers.accept)
}

const byRoute = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]))

/** Of each request: a span, a measurement, and one log line with its ids; never its query, its headers or its body. */
export function observeRequests(app: App): void {
  app.decorateRequest('entry', null)
  app.decorateRequest('accessKeyId', null)
  app.decorateRequest('orderApiKey', null)
  app.addHook('onRequest', (request, reply, done) => {
    if (!isTelemetryOn() || isProbe(request)) return done()
    const entry = entryOf(request)
    request.entry = entry
    if (entry.isSampled) nameTrace(request, reply)
    entry.run(done)
  })
  // Reading a body ends in the connection's context; from here on it is the request's again.
  app.addHook('preValidation', (request, _reply, done) => (request.entry ? request.entry.run(done) : done()))
  app.addHook('onResponse', (request, reply, done) => {
    const { entry } = request
    request.orderApiKey ??= orderInPath(request)
    if (!entry) tell(request, reply)
    else entry.run(() => tell(request, reply))
    if (entry) measure(entry, request, reply)
    done()
  })
}

/** Says in the answer which trace it is in: for a sampled one, and for what fails, which is always kept. */
export function nameTrace({ entry }: FastifyRequest, reply: FastifyReply): void {
  if (entry) void reply.header('x-trace-id', entry.traceId)
}

function entryOf({ headers, method, routeOptions: { url: route } }: FastifyRequest): Entry {
  return new Entry(headers, {
    name: route === undefined ? method : `${method} ${route}`,
    kind: SpanKind.SERVER,
    attributes: () => ({
      'http.request.method': method,
      'url.scheme': 'http',
      'network.protocol.name': 'http',
      ...(route !== undefined && { 'http.route': route }),
    }),
  })
}

function measure(entry: Entry, request: FastifyRequest, reply: FastifyReply): void {
  const { id, method, routeOptions, orderApiKey } = request
  const { statusCode } = reply
  const asked: Attributes = { 'http.request.method': method, 'http.response.status_code': statusCode }
  if (routeOptions.url !== undefined) asked['http.route'] = routeOptions.url
  if (!isStream(request)) duration(reply.elapsedTime / 1_000, asked)
  const failure = statusCode >= 500 ? String(statusCode) : null
  if (!entry.isSampled && failure === null) return entry.end()
  entry.end(
    {
      'http.response.status_code': statusCode,
      'platter.request.id': id,
      // Out of the path it is whatever a client has put there.
      ...(orderApiKey !== null && { 'platter.order.api_key': scrub(orderApiKey) }),
    },
    failure,
  )
}

/** A request that was refused at once, with nothing else of it observed. */
export function measureRefused(method: string, route: string, status: number): void {
  duration(0, { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status })
}

function tell(request: FastifyRequest, reply: FastifyReply): void {
  const { method, routeOptions, accessKeyId, orderApiKey } = request
  const line = {
    ...(accessKeyId !== null && { accessKeyId }),
    ...(orderApiKey !== null && { orderApiKey }),
    method,
    route: routeOptions.url,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
  }
  if (isProbe(request)) request.log.debug(line, 'request')
  else request.log.info(line, 'request')
}

const ORDER_PATH = /\/orders?\/:apiKey(\/|$)/

function orderInPath({ routeOptions, params }: FastifyRequest): string | null {
  if (routeOptions.url === undefined || !ORDER_PATH.test(routeOptions.url)) return null
  return (params as { apiKey: string }).apiKey
}
