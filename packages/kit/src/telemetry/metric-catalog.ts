/*
 * The metrics of all services. deploy/observability and docs/telemetry.md use these names. Names and attributes without the prefix
 * `platter.` follow OpenTelemetry's semantic conventions.
 */

export type MetricDeclaration = {
  kind: 'counter' | 'histogram' | 'gauge'
  /** A UCUM unit, or an annotation in braces. */
  unit: string
  description: string
  attributes: readonly string[]
  boundaries?: readonly number[]
}

/** The response to an undecided order comes after 8.0 to 8.1 s: 7.5 separates it from those of slow restaurants. */
const REQUEST_BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 7.5, 10]

export const METRICS = {
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of requests, from the request head to the last byte of the response.',
    attributes: ['http.request.method', 'http.route', 'http.response.status_code'],
    boundaries: REQUEST_BOUNDARIES,
  },
  'http.client.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of requests to another service, to the head of the response.',
    attributes: ['http.request.method', 'url.template', 'server.address', 'http.response.status_code'],
    boundaries: REQUEST_BOUNDARIES,
  },
  'platter.saga.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration from commit 1 of an order to the end of its saga, by outcome.',
    attributes: ['platter.saga.outcome'],
    boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  },
  'platter.saga.in_flight': {
    kind: 'gauge',
    unit: '{saga}',
    description: 'Unfinished sagas, by awaited step.',
    attributes: ['platter.saga.step', 'platter.saga.compensating'],
  },
  'platter.saga.oldest': {
    kind: 'gauge',
    unit: 's',
    description: 'Age of the oldest order with an unfinished saga, by awaited step.',
    attributes: ['platter.saga.step', 'platter.saga.compensating'],
  },
  'platter.dead_letters': {
    kind: 'gauge',
    unit: '{message}',
    description: 'Messages that could not be handled, stored for an operator.',
    attributes: ['platter.command'],
  },
  'platter.incidents': {
    kind: 'gauge',
    unit: '{incident}',
    description: 'Open incidents, by kind.',
    attributes: ['platter.incident.kind'],
  },
  'platter.queue.messages': {
    kind: 'gauge',
    unit: '{message}',
    description: 'Messages that wait in a queue.',
    attributes: ['messaging.destination.name'],
  },
  'platter.processor.calls': {
    kind: 'counter',
    unit: '{call}',
    description: 'Calls to the payment processor that move money, by kind and result.',
    attributes: ['platter.processor.call', 'platter.processor.outcome'],
  },
  'platter.permits.in_use': {
    kind: 'gauge',
    unit: '{permit}',
    description: 'Requests in progress under a concurrency limit, by limit.',
    attributes: ['platter.limit.name'],
  },
  'platter.permits.limit': {
    kind: 'gauge',
    unit: '{permit}',
    description: 'Maximum number of requests in progress, by limit. The limit of the gateway adapts.',
    attributes: ['platter.limit.name'],
  },
  'db.client.connection.count': {
    kind: 'gauge',
    unit: '{connection}',
    description: 'Connections to PostgreSQL, by state.',
    attributes: ['db.client.connection.pool.name', 'db.client.connection.state'],
  },
  'db.client.connection.max': {
    kind: 'gauge',
    unit: '{connection}',
    description: 'Maximum number of connections.',
    attributes: ['db.client.connection.pool.name'],
  },
  'db.client.connection.pending_requests': {
    kind: 'gauge',
    unit: '{request}',
    description: 'Statements that wait for a connection.',
    attributes: ['db.client.connection.pool.name'],
  },
  'nodejs.eventloop.delay.p99': {
    kind: 'gauge',
    unit: 's',
    description: 'Delay of the event loop since the last export, 99th percentile.',
    attributes: [],
  },
  'nodejs.eventloop.utilization': {
    kind: 'gauge',
    unit: '1',
    description: 'Share of time in which the event loop was busy since the last export.',
    attributes: [],
  },
  'v8js.memory.heap.used': {
    kind: 'gauge',
    unit: 'By',
    description: 'Used bytes of the JavaScript heap.',
    attributes: [],
  },
  'v8js.memory.heap.limit': {
    kind: 'gauge',
    unit: 'By',
    description: 'Maximum size of the JavaScript heap.',
    attributes: [],
  },
  'process.memory.usage': {
    kind: 'gauge',
    unit: 'By',
    description: 'Resident memory of the process.',
    attributes: [],
  },
} as const satisfies Record<string, MetricDeclaration>

type Names<Kind> = {
  [Name in keyof typeof METRICS]: (typeof METRICS)[Name]['kind'] extends Kind ? Name : never
}[keyof typeof METRICS]
export type MetricName = keyof typeof METRICS
export type CounterName = Names<'counter'>
export type HistogramName = Names<'histogram'>
export type GaugeName = Names<'gauge'>
/** The declared attributes of a metric. */
export type AttributesOf<Name extends MetricName> = Partial<
  Record<(typeof METRICS)[Name]['attributes'][number], string | number | boolean>
>
