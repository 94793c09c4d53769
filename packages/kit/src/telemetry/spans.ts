import { createHash } from 'node:crypto'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
} from '@opentelemetry/api'
import { Problem } from '#/http/problem.ts'

export { SpanKind } from '@opentelemetry/api'
export type { Attributes, Span } from '@opentelemetry/api'

/*
 * Manual spans at process boundaries (docs/decisions/0014-telemetry.md). Until `enableTelemetry`, which only sdk.ts calls, each
 * function costs the read of one variable.
 */

export const SCOPE = 'platter'
const tracer = trace.getTracer(SCOPE)
let on = false

/** Whether this process exports telemetry. */
export const isTelemetryOn = (): boolean => on

/** How the gateway samples. The other processes record what it records. */
export type Sampling = {
  /** The decision of a client that sends one holds. */
  isParentBased: boolean
  /** The share of new traces that is recorded, 0 to 1. */
  ratio: number
}

let sampling: Sampling = { isParentBased: true, ratio: 0 }

export function enableTelemetry(chosen: Sampling): void {
  on = true
  sampling = chosen
}

/** Names and attributes follow OpenTelemetry's semantic conventions; Platter's own begin with `platter.`. */
export type SpanDescription = { name: string; kind?: SpanKind; attributes?: Attributes }

const isSampled = (active: Context): boolean =>
  ((trace.getSpanContext(active)?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0

const begin = ({ name, kind = SpanKind.INTERNAL, attributes = {} }: SpanDescription, parent: Context): Span =>
  tracer.startSpan(name, { kind, attributes }, parent)

/** The code or name of an error. Its message could quote a request, and traces leave the platform. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : error.name
}

/** A 4xx problem is a normal response; only a failure of Platter is an error. */
function fail(span: Span, error: unknown): void {
  span.setAttribute('error.type', typeOf(error))
  if (!(error instanceof Problem) || error.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
}

/** A span around `work`, below the active one. `describe` is called only when the trace is sampled. */
export function inSpan<T>(
  describe: () => SpanDescription,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
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

/** A span without children, which ends with the promise of `work`: cheaper than `inSpan`. */
export function timed<T>(describe: () => SpanDescription, work: () => T): T {
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

/** The sender of work: W3C Trace Context, and the request id, which its log lines have in every service. */
export type Origin = { traceparent: unknown; requestId: string }

type RootSpanDescription = {
  name: string
  kind: SpanKind
  /** Called only when the span is recorded. */
  attributes: () => Attributes
  /** The sender ended long ago: the span is also linked to the sender's span. */
  linked?: boolean
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/

/**
 * Decides about recording before anything is allocated: span, ids and context of an unsampled request cost more than all
 * metrics and logs together. `mayBegin`: a trace may start here. Behind the gateway an absent `traceparent` means that the
 * gateway has not sampled the trace. `chance`: uniform in [0, 1).
 */
export function isRecorded(
  traceparent: unknown,
  { mayBegin, isParentBased, ratio, chance }: Sampling & { mayBegin: boolean; chance: () => number },
): boolean {
  const flags = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined
  if (mayBegin && (flags === undefined || !isParentBased)) return chance() < ratio
  return flags !== undefined && (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) !== 0
}

/** Starts the root span of a request, message or resumed saga in this process; null when its trace is not recorded. */
export const startRootSpan = (
  origin: Origin,
  description: RootSpanDescription,
  { mayBegin = false }: { mayBegin?: boolean } = {},
): RootSpan | null =>
  on && isRecorded(origin.traceparent, { ...sampling, mayBegin, chance: Math.random })
    ? new RootSpan(origin, description)
    : null

/** The span of this process that has no parent here: a request, a message or a resumed saga. */
export class RootSpan {
  readonly traceId: string
  readonly #span: Span
  /** The context of all spans of the work. */
  readonly #context: Context

  constructor(origin: Origin, { name, kind, attributes, linked = false }: RootSpanDescription) {
    const sender = senderOf(origin)
    const from = linked ? trace.getSpanContext(sender) : undefined
    const links = from ? [{ context: from }] : []
    this.#span = tracer.startSpan(name, { kind, links, attributes: attributes() }, sender)
    this.#context = trace.setSpan(sender, this.#span)
    this.traceId = this.#span.spanContext().traceId
  }

  run<T>(work: () => T): T {
    return context.with(this.#context, work)
  }

  /** To be called once. `failure` names an error of Platter. */
  end(attributes: Attributes = {}, failure: string | null = null): void {
    end(this.#span, attributes, failure)
  }
}

/** Without `tracestate`: arbitrary text of the caller, which every span would store. */
const senderOf = ({ traceparent }: Origin): Context => propagation.extract(ROOT_CONTEXT, { traceparent })

function end(span: Span, attributes: Attributes, failure: string | null): void {
  span.setAttributes(attributes)
  if (failure !== null) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/**
 * Records a failure although its trace is not sampled: one span for each process, all in one trace. It is the caller's trace, or
 * one whose id is the request id. `startTime` in epoch milliseconds.
 */
export function recordFailure(
  origin: Origin,
  { name, kind, attributes }: RootSpanDescription,
  outcome: { startTime: number; attributes?: Attributes; failure: string },
): void {
  if (!on) return
  const { startTime, failure } = outcome
  const parent = trace.setSpanContext(ROOT_CONTEXT, unsampledParent(origin))
  const span = tracer.startSpan(name, { kind, startTime, attributes: attributes() }, parent)
  end(span, outcome.attributes ?? {}, failure)
}

/** The trace in which `recordFailure` records. */
export const failureTraceId = (origin: Origin): string => unsampledParent(origin).traceId

const HEX_32 = /^(?!0{32})[0-9a-f]{32}$/

/** A generated request id is a UUID, whose digits are a trace id. Any other request id is hashed. */
function unsampledParent(origin: Origin): SpanContext {
  const given = trace.getSpanContext(senderOf(origin))
  if (given) return given
  const hash = createHash('sha256').update(origin.requestId).digest('hex')
  const digits = origin.requestId.replaceAll('-', '')
  const traceId = HEX_32.test(digits) ? digits : hash.slice(0, 32)
  return { traceId, spanId: hash.slice(32, 48), traceFlags: TraceFlags.NONE, isRemote: true }
}

/** Runs `work` in a root span. Its rejection is passed on, and recorded as a failure of Platter. */
export async function inRootSpan<T>(
  origin: Origin,
  description: RootSpanDescription,
  work: () => Promise<T>,
): Promise<T> {
  if (!on) return work()
  const rootSpan = startRootSpan(origin, description)
  const startTime = Date.now()
  try {
    const result = await (rootSpan ? rootSpan.run(work) : work())
    rootSpan?.end()
    return result
  } catch (error) {
    const failure = typeOf(error)
    if (rootSpan) rootSpan.end({}, failure)
    else recordFailure(origin, description, { startTime, failure })
    throw error
  }
}

/**
 * Runs `work` without a trace. The end of a response is an event of the upstream connection, and has the context of the request
 * that opened that connection.
 */
export const outsideTraces = <T>(work: () => T): T => (on ? context.with(ROOT_CONTEXT, work) : work())

const withoutTrace = <T>(work: () => T): T => work()

/** Captures the active trace for later work in 0.2 µs; `AsyncLocalStorage.snapshot` takes 3.7. */
export function inActiveTrace(): <T>(work: () => T) => T {
  if (!on) return withoutTrace
  const active = context.active()
  return (work) => context.with(active, work)
}

/** The header that continues the trace at the receiver: `traceparent`. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  if (on) propagation.inject(context.active(), headers)
  return headers
}

/** The active trace as one text, to be stored in a row; null when there is none. */
export const traceparent = (): string | null => traceHeaders()['traceparent'] ?? null

/** The trace fields of a log line. */
export function traceIds(): { trace_id?: string; span_id?: string } {
  const active = on ? trace.getSpanContext(context.active()) : undefined
  return active ? { trace_id: active.traceId, span_id: active.spanId } : {}
}
