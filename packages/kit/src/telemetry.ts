import {
  context,
  createContextKey,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Counter,
  type Histogram,
  type MetricOptions,
  type Span,
} from '@opentelemetry/api'
import { Problem } from './problem.ts'

export { SpanKind } from '@opentelemetry/api'
export type { Attributes, Span } from '@opentelemetry/api'

/*
 * Spans and metrics of our own, at our own few edges (docs/decisions/0014-telemetry.md). Until `turnOn`, which only
 * telemetry-sdk.ts calls, everything here costs the look at one variable.
 */

const SCOPE = 'platter'
const tracer = trace.getTracer(SCOPE)
let on = false

/** Whether anything is sent anywhere. */
export const isTelemetryOn = (): boolean => on

export function turnOn(): void {
  on = true
}

/** Set on a context, it makes the sampler keep a span of a trace that was not sampled. */
export const KEPT = createContextKey('platter.kept')

/** What a span is called and says. Names and attributes by the semantic conventions, our own below `platter.`. */
export type Edge = { name: string; kind?: SpanKind; attributes?: Attributes }

const isSampled = (active: Context): boolean =>
  ((trace.getSpanContext(active)?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0

const begin = ({ name, kind = SpanKind.INTERNAL, attributes = {} }: Edge, parent: Context): Span =>
  tracer.startSpan(name, { kind, attributes }, parent)

/** The code or name of what went wrong; a message could quote what was sent, and would be stored elsewhere. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : error.name
}

/** A refusal is an answer like any other; only what went wrong on our side is an error. */
function fail(span: Span, error: unknown): void {
  span.setAttribute('error.type', typeOf(error))
  if (!(error instanceof Problem) || error.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
}

/**
 * A span around `work`, below the one that is active. Where the trace is not sampled there is none, and the edge is
 * not even described.
 */
export function inSpan<T>(describe: () => Edge, work: (span: Span | null) => Promise<T>): Promise<T> {
  if (!on) return work(null)
  const active = context.active()
  if (!isSampled(active)) return work(null)
  return recorded(begin(describe(), active), active, work)
}

async function recorded<T>(span: Span, parent: Context, work: (span: Span | null) => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(parent, span), () => work(span))
  } catch (error) {
    fail(span, error)
    throw error
  } finally {
    span.end()
  }
}

/** A span that ends with the promise of `work`, for what has nothing below it: cheaper than `inSpan`. */
export function timed<T>(describe: () => Edge, work: () => T): T {
  if (!on) return work()
  const active = context.active()
  if (!isSampled(active)) return work()
  const span = begin(describe(), active)
  const result = work()
  if (!(result instanceof Promise)) {
    span.end()
    return result
  }
  result.then(
    () => span.end(),
    (error: unknown) => {
      fail(span, error)
      span.end()
    },
  )
  return result
}

/** Headers of a request or message, in which a `traceparent` may be (W3C Trace Context). */
type Carrier = Readonly<Record<string, unknown>>

type Entrance = {
  name: string
  kind: SpanKind
  /** Asked for only when the span is kept. */
  attributes: () => Attributes
  /** Whoever sent it is long done, so the span is linked to the sender's as well. */
  linked?: boolean
}

/**
 * Where work comes into a process: a request, a message, a saga that is woken. Here it is decided whether the trace
 * is sampled, unless whoever sent it has. What is not sampled and fails leaves one span all the same: this one.
 */
export class Entry {
  readonly traceId: string
  readonly isSampled: boolean
  readonly #entrance: Entrance
  readonly #span: Span
  /** For everything that is done because of it. */
  readonly #context: Context
  readonly #startTime = Date.now()

  constructor(carrier: Carrier, entrance: Entrance) {
    // Without `tracestate`: that is any text of whoever calls, and would be kept with every span.
    const sender = propagation.extract(ROOT_CONTEXT, { traceparent: carrier['traceparent'] })
    this.#entrance = entrance
    this.#span = tracer.startSpan(entrance.name, this.#options(sender), sender)
    this.#context = trace.setSpan(sender, this.#span)
    this.traceId = this.#span.spanContext().traceId
    this.isSampled = this.#span.isRecording()
    if (this.isSampled) this.#span.setAttributes(entrance.attributes())
  }

  run<T>(work: () => T): T {
    return context.with(this.#context, work)
  }

  /** To be called once. `failure` names what went wrong on our side. */
  end(attributes: Attributes = {}, failure: string | null = null): void {
    if (!this.isSampled && failure === null) return
    const span = this.isSampled ? this.#span : this.#kept()
    span.setAttributes(attributes)
    if (failure !== null) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }

  #options(sender: Context) {
    const { kind, linked = false } = this.#entrance
    const from = linked ? trace.getSpanContext(sender) : undefined
    return { kind, links: from ? [{ context: from }] : [] }
  }

  #kept(): Span {
    const { name, kind, attributes } = this.#entrance
    const kept = this.#context.setValue(KEPT, true)
    const options = { kind, startTime: this.#startTime, attributes: attributes() }
    return tracer.startSpan(name, options, kept)
  }
}

/** Runs `work` as what came in with the carrier. Its rejection is passed on, and is a failure of ours. */
export async function inEntry<T>(carrier: Carrier, entrance: Entrance, work: () => Promise<T>): Promise<T> {
  if (!on) return work()
  const entry = new Entry(carrier, entrance)
  try {
    const result = await entry.run(work)
    entry.end()
    return result
  } catch (error) {
    entry.end({}, typeOf(error))
    throw error
  }
}

/** What goes along with a request or message, so that the other side continues the trace: `traceparent`. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  if (on) propagation.inject(context.active(), headers)
  return headers
}

/** Where the trace stands, in one text to be kept in a row; null when there is none. */
export const traceparent = (): string | null => traceHeaders()['traceparent'] ?? null

/** Names the trace in a log line. */
export function traceIds(): { trace_id?: string; span_id?: string } {
  const active = on ? trace.getSpanContext(context.active()) : undefined
  return active ? { trace_id: active.traceId, span_id: active.spanId } : {}
}

// Metrics ------------------------------------------------------------------------------------------------------

const meter = () => metrics.getMeter(SCOPE)

/** Made at its first use: what is made before the SDK is started counts nothing for ever. */
export function counter(name: string, options: MetricOptions) {
  let made: Counter | undefined
  return (attributes: Attributes): void => {
    if (on) (made ??= meter().createCounter(name, options)).add(1, attributes)
  }
}

/** Like `counter`; takes values in the unit of the options. */
export function histogram(name: string, options: MetricOptions) {
  let made: Histogram | undefined
  return (value: number, attributes: Attributes): void => {
    if (on) (made ??= meter().createHistogram(name, options)).record(value, attributes)
  }
}

export type Observed = { value: number; attributes?: Attributes }

/**
 * Values that are looked up when metrics are sent, once an interval. `read` gives for each name what there is; a
 * rejection leaves the values out this time.
 */
export function observe<Name extends string>(
  gauges: Record<Name, MetricOptions>,
  read: () => Promise<Record<Name, Observed[]>> | Record<Name, Observed[]>,
): void {
  if (!on) return
  const made = Object.entries<MetricOptions>(gauges).map(
    ([name, options]) => [name as Name, meter().createObservableGauge(name, options)] as const,
  )
  meter().addBatchObservableCallback(
    async (result) => {
      // What cannot be looked up is told by readiness and logs already.
      const values = await Promise.resolve(read()).catch(() => null)
      if (values === null) return
      for (const [name, gauge] of made)
        for (const { value, attributes } of values[name]) result.observe(gauge, value, attributes)
    },
    made.map(([, gauge]) => gauge),
  )
}
