import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { inject } from 'vitest'

/*
 * An OTLP receiver over HTTP. It stores the telemetry of the services (JSON, the format of their exporters) for queries of tests.
 */

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean }
type Attributes = { key: string; value: Value }[]
type Grouped<Name extends string, Scoped> = { resource: { attributes: Attributes } } & Record<Name, Scoped[]>
type SentSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attributes
  links?: { traceId: string; spanId: string }[]
  status: { code?: number }
}
type SentMetric = {
  name: string
  unit?: string
  gauge?: { dataPoints: Point[] }
  sum?: { dataPoints: Point[] }
  histogram?: { dataPoints: Point[] }
}
type Point = { attributes: Attributes; count?: number | string; asInt?: number | string; asDouble?: number }
type SentLog = { severityText: string; body: Value; attributes: Attributes; traceId?: string }
type Sent = {
  resourceSpans?: Grouped<'scopeSpans', { spans: SentSpan[] }>[]
  resourceMetrics?: Grouped<'scopeMetrics', { metrics: SentMetric[] }>[]
  resourceLogs?: Grouped<'scopeLogs', { logRecords: SentLog[] }>[]
}

type Plain = Record<string, string | number | boolean | undefined>
export type Span = Omit<SentSpan, 'attributes'> & { service: string; attributes: Plain }
export type Metric = { service: string; name: string; points: (Plain & { value: number })[] }
export type LogRecord = { service: string; text: string; traceId: string | undefined; attributes: Plain }

const plain = (attributes: Attributes): Plain =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ??
        value.boolValue ??
        value.doubleValue ??
        (value.intValue === undefined ? undefined : Number(value.intValue)),
    ]),
  )
const serviceOf = ({ resource }: { resource: { attributes: Attributes } }) =>
  String(plain(resource.attributes)['service.name'])

export class Receiver {
  /** All received data, unchanged. */
  text = ''
  readonly #sent: Sent[] = []
  /** Spans by trace, because tests read one trace repeatedly until it is complete, among thousands. */
  readonly #spans = new Map<string, { span: SentSpan; service: string }[]>()
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      this.text += body
      const sent = JSON.parse(body) as Sent
      this.#sent.push(sent)
      this.#keepSpans(sent)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })

  /** Listens at the address to which the services of the stack send. One file at a time listens there, and the next one waits. */
  async listen(port = inject('otlpPort')): Promise<number> {
    while (!(await this.#hasListened(port))) await wait(100)
    return (this.#server.address() as AddressInfo).port
  }

  async #hasListened(port: number): Promise<boolean> {
    try {
      this.#server.listen(port, '127.0.0.1')
      await once(this.#server, 'listening')
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
      throw error
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  resources(): Plain[] {
    return this.#sent
      .flatMap(({ resourceSpans = [], resourceMetrics = [] }) => [...resourceSpans, ...resourceMetrics])
      .map(({ resource }) => plain(resource.attributes))
  }

  #keepSpans({ resourceSpans = [] }: Sent): void {
    for (const group of resourceSpans)
      for (const span of group.scopeSpans.flatMap(({ spans }) => spans)) {
        const trace = this.#spans.get(span.traceId) ?? []
        trace.push({ span, service: serviceOf(group) })
        this.#spans.set(span.traceId, trace)
      }
  }

  /** Returns the spans of a trace, sorted by their start. */
  spans(traceId: string): Span[] {
    return (this.#spans.get(traceId) ?? [])
      .map(({ span, service }) => ({ ...span, service, attributes: plain(span.attributes) }))
      .toSorted((one, other) => Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)))
  }

  metrics(): Metric[] {
    return this.#sent
      .flatMap(({ resourceMetrics = [] }) => resourceMetrics)
      .flatMap((group) =>
        group.scopeMetrics.flatMap(({ metrics }) =>
          metrics.map((metric) => ({
            service: serviceOf(group),
            name: metric.name,
            points: pointsOf(metric),
          })),
        ),
      )
  }

  logs(traceId: string): LogRecord[] {
    return this.#sent
      .flatMap(({ resourceLogs = [] }) => resourceLogs)
      .flatMap((group) =>
        group.scopeLogs.flatMap(({ logRecords }) =>
          logRecords.map((record) => ({
            service: serviceOf(group),
            text: record.body.stringValue ?? '',
            traceId: record.traceId,
            attributes: plain(record.attributes),
          })),
        ),
      )
      .filter((record) => record.traceId === traceId)
  }
}

const pointsOf = ({ gauge, sum, histogram }: SentMetric) =>
  (gauge ?? sum ?? histogram)?.dataPoints.map(({ attributes, asInt, asDouble, count }) => ({
    ...plain(attributes),
    value: Number(asInt ?? asDouble ?? count),
  })) ?? []

/** Returns a `traceparent` with or without the sampled flag, and the id of its trace. */
export function newTrace(isSampled = true): { traceId: string; traceparent: string } {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, traceparent: `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}` }
}

/** Returns a trace as an indented text of services and spans. Each span is below its parent, sorted by its start. */
export function outline(spans: readonly Span[], parent?: Span): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  return spans
    .filter((span) => (parent ? span.parentSpanId === parent.spanId : !ids.has(span.parentSpanId ?? '')))
    .toSorted(byBeginning)
    .flatMap((span) => [`${span.service}: ${span.name}`, ...outline(spans, span).map((line) => `  ${line}`)])
}

/** Spans that start in the same millisecond are concurrent, so they are sorted by name. */
function byBeginning(one: Span, other: Span): number {
  const [first, second] = [one, other].map(({ startTimeUnixNano }) => BigInt(startTimeUnixNano) / 1_000_000n)
  if (first === second) return one.name < other.name ? -1 : 1
  return first! < second! ? -1 : 1
}

export const isSql = ({ attributes }: Span) => attributes['db.system.name'] === 'postgresql'
/** Returns true for a statement or a command to PostgreSQL or Redis. */
export const isOfStore = ({ attributes }: Span) => 'db.system.name' in attributes
/** The gateway looks up the owner of an access key once a second. One of the requests waits for that. */
export const isLookUp = ({ name }: Span) => name.endsWith('/internal/resolve-access-key')
