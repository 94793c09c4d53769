import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { inject } from 'vitest'
import type { HttpServer } from '@platter/testkit/http-server'
import { startOtlpServer } from '../support/otlp-server.ts'

/* The telemetry of the services (OTLP as JSON, the format of their exporters) for queries of tests. */

type Attributes = Record<string, string | number | boolean | undefined>

export type Span = {
  service: string
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
type DataPoints = { dataPoints: unknown[] }
type Metric = { name: string; gauge?: DataPoints; sum?: DataPoints; histogram?: DataPoints }

/** The records of one process, grouped by the library that created them. */
type Group = {
  resource: { attributes: Attributes }
  scopeSpans?: { spans: Span[] }[]
  scopeMetrics?: { metrics: Metric[] }[]
}
type Body = { resourceSpans?: Group[]; resourceMetrics?: Group[] }

/** Converts a list of attributes to an object. The only member of each value is named after its type. */
const revive = (name: string, value: unknown): unknown =>
  name === 'attributes'
    ? Object.fromEntries(
        (value as { key: string; value: object }[]).map((one) => [one.key, Object.values(one.value)[0]]),
      )
    : value

export class Receiver {
  /** All received data, unchanged. */
  text = ''
  /** The attributes of the processes. */
  readonly resources: Attributes[] = []
  /** Each metric with a data point: `SERVICE NAME`. */
  readonly metrics = new Set<string>()
  /** By trace, because tests read one trace repeatedly until it is complete, among thousands. */
  readonly #spans = new Map<string, Span[]>()
  #server: HttpServer | undefined

  /** Listens at the address to which the services of the stack send. One file at a time listens there, and the next one waits. */
  async listen(): Promise<void> {
    while (!this.#server) {
      try {
        this.#server = await startOtlpServer((...sent) => this.#receive(...sent), inject('otlpPort'))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
        await wait(100)
      }
    }
  }

  close = async () => this.#server?.close()

  #receive(body: string, isWhole: boolean): void {
    if (!isWhole) return
    this.text += body
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body, revive) as Body
    for (const group of [...resourceSpans, ...resourceMetrics]) this.#add(group)
  }

  #add({ resource, scopeSpans = [], scopeMetrics = [] }: Group): void {
    const service = String(resource.attributes['service.name'])
    this.resources.push(resource.attributes)
    for (const span of scopeSpans.flatMap(({ spans }) => spans))
      this.#spans.set(span.traceId, [...(this.#spans.get(span.traceId) ?? []), { ...span, service }])
    for (const { name, gauge, sum, histogram } of scopeMetrics.flatMap(({ metrics }) => metrics))
      if ((gauge ?? sum ?? histogram)?.dataPoints.length) this.metrics.add(`${service} ${name}`)
  }

  /** Returns the spans of a trace, sorted by their start. */
  spans = (traceId: string): Span[] =>
    (this.#spans.get(traceId) ?? []).toSorted((one, other) =>
      one.startTimeUnixNano.localeCompare(other.startTimeUnixNano),
    )
}

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
    .toSorted((one, other) => (positionOf(one) < positionOf(other) ? -1 : 1))
    .flatMap((span) => [`${span.service}: ${span.name}`, ...outline(spans, span).map((line) => `  ${line}`)])
}

/** Spans that start in the same millisecond are concurrent, so they are sorted by name. */
const positionOf = ({ startTimeUnixNano, name }: Span) => `${startTimeUnixNano.slice(0, -6)} ${name}`

export const isSql = ({ attributes }: Span) => attributes['db.system.name'] === 'postgresql'
/** Returns true for a statement or a command to PostgreSQL or Redis. */
export const isOfStore = ({ attributes }: Span) => 'db.system.name' in attributes
/** The gateway looks up the owner of an access key once a second. One of the requests waits for that. */
const isLookUp = ({ name }: Span) => name.endsWith('/internal/resolve-access-key')

/** Returns the spans of a trace without those of the lookup of the access key. */
export function withoutLookUp(spans: readonly Span[]): Span[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const isOfLookUp = (span: Span | undefined): boolean =>
    span !== undefined && (isLookUp(span) || isOfLookUp(byId.get(span.parentSpanId ?? '')))
  return spans.filter((span) => !isOfLookUp(span))
}
