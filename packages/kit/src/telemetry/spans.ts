import { createHash } from 'node:crypto'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type SpanKind,
  type SpanOptions,
} from '@opentelemetry/api'
import { Problem } from '#/http/problem.ts'

export { SpanKind } from '@opentelemetry/api'
export type { Attributes, Span } from '@opentelemetry/api'

/*
 * Manual spans at process boundaries (docs/decisions/0014-telemetry.md). Without telemetry, each function only reads one variable.
 * Only sdk.ts and tests call `enableTelemetry`.
 */

export const SCOPE = 'platter'
const tracer = trace.getTracer(SCOPE)
let on = false

/** Whether this process exports telemetry. */
export const isTelemetryOn = (): boolean => on

/** The sampling of the gateway. The other processes follow its decision. */
export type Sampling = {
  /** Whether the sampling decision of a client is respected. */
  isParentBased: boolean
  /** The share of new traces that are recorded, 0 to 1. */
  ratio: number
}

let sampling: Sampling = { isParentBased: true, ratio: 0 }

/** Enables telemetry. Returns a function that disables it. */
export function enableTelemetry(chosen: Sampling): () => void {
  on = true
  sampling = chosen
  return () => {
    on = false
  }
}

/** Names and attributes follow OpenTelemetry's semantic conventions; Platter's own begin with `platter.`. */
export type SpanDescription = { name: string; kind?: SpanKind; attributes?: Attributes }

const isSampled = (active: Context): boolean =>
  ((trace.getSpanContext(active)?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0

const begin = ({ name, ...options }: SpanDescription, parent: Context, more: SpanOptions = {}): Span =>
  tracer.startSpan(name, { ...options, ...more }, parent)

/** Returns the code or name of an error. The message could quote a request, and traces leave the platform. */
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

/** Runs `work` in a child span of the active span. `describe` is called only if the trace is sampled. */
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

/** Records a span without children, which ends when the promise of `work` settles. It is cheaper than `inSpan`. */
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

/** The origin of work: the W3C Trace Context, and the request id, which is in the log lines of every service. */
export type Origin = { traceparent: unknown; requestId: string }

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/

/**
 * Makes the sampling decision before any allocation. The span, ids and context of an unsampled request cost more than all metrics
 * and logs together. `mayBegin` allows a trace to start here. Behind the gateway, an absent `traceparent` means that the gateway
 * has not sampled the trace. `chance` returns a uniform number in [0, 1).
 */
export function isRecorded(
  traceparent: unknown,
  { mayBegin, isParentBased, ratio, chance }: Sampling & { mayBegin: boolean; chance: () => number },
): boolean {
  const flags = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined
  if (mayBegin && (flags === undefined || !isParentBased)) return chance() < ratio
  return flags !== undefined && (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) !== 0
}

/** `isLinked`: the span is also linked to the sender's span, which ended long ago. */
type RootSpanOptions = { mayBegin?: boolean; isLinked?: boolean }

/** Starts the root span of a request, message or resumed saga in this process. Returns null if its trace is not recorded. */
export const startRootSpan = (
  origin: Origin,
  describe: () => SpanDescription,
  { mayBegin = false, isLinked = false }: RootSpanOptions = {},
): RootSpan | null =>
  on && isRecorded(origin.traceparent, { ...sampling, mayBegin, chance: Math.random })
    ? new RootSpan(origin, describe(), isLinked)
    : null

/** A span without a parent in this process: a request, a message or a resumed saga. */
export class RootSpan {
  readonly traceId: string
  readonly #span: Span
  /** The context of all spans of the work. */
  readonly #context: Context

  constructor(origin: Origin, description: SpanDescription, isLinked = false) {
    const sender = senderOf(origin)
    const from = isLinked ? trace.getSpanContext(sender) : undefined
    this.#span = begin(description, sender, { links: from ? [{ context: from }] : [] })
    this.#context = trace.setSpan(sender, this.#span)
    this.traceId = this.#span.spanContext().traceId
  }

  run<T>(work: () => T): T {
    return context.with(this.#context, work)
  }

  /** Ends the span; must be called once. `failure` is the name of an error of Platter. */
  end(attributes: Attributes = {}, failure: string | null = null): void {
    end(this.#span, attributes, failure)
  }
}

/** Omits `tracestate`, which is arbitrary text of the caller that every span would store. */
const senderOf = ({ traceparent }: Origin): Context => propagation.extract(ROOT_CONTEXT, { traceparent })

function end(span: Span, attributes: Attributes, failure: string | null): void {
  span.setAttributes(attributes)
  if (failure !== null) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/**
 * Records a failure whose trace is not sampled: one span for each process, all in one trace. The trace is the caller's, or its id
 * derives from the request id. `startTime` is in epoch milliseconds.
 */
export function recordFailure(
  origin: Origin,
  describe: () => SpanDescription,
  { startTime, attributes = {}, failure }: { startTime: number; attributes?: Attributes; failure: string },
): void {
  if (!on) return
  const parent = trace.setSpanContext(ROOT_CONTEXT, unsampledParent(origin))
  end(begin(describe(), parent, { startTime }), attributes, failure)
}

/** Returns the id of the trace that `recordFailure` uses. */
export const failureTraceId = (origin: Origin): string => unsampledParent(origin).traceId

const HEX_32 = /^(?!0{32})[0-9a-f]{32}$/

/**
 * Returns the caller's trace, or a trace id from the request id. The digits of a UUID are a valid trace id; any other request id is
 * hashed.
 */
function unsampledParent(origin: Origin): SpanContext {
  const given = trace.getSpanContext(senderOf(origin))
  if (given) return given
  const hash = createHash('sha256').update(origin.requestId).digest('hex')
  const digits = origin.requestId.replaceAll('-', '')
  const traceId = HEX_32.test(digits) ? digits : hash.slice(0, 32)
  return { traceId, spanId: hash.slice(32, 48), traceFlags: TraceFlags.NONE, isRemote: true }
}

/** Runs `work` in a root span. A rejection is recorded as a failure of Platter and rethrown. */
export async function inRootSpan<T>(
  origin: Origin,
  describe: () => SpanDescription,
  work: () => Promise<T>,
  options: RootSpanOptions = {},
): Promise<T> {
  if (!on) return work()
  const rootSpan = startRootSpan(origin, describe, options)
  const startTime = Date.now()
  try {
    const result = await (rootSpan ? rootSpan.run(work) : work())
    rootSpan?.end()
    return result
  } catch (error) {
    const failure = typeOf(error)
    if (rootSpan) rootSpan.end({}, failure)
    else recordFailure(origin, describe, { startTime, failure })
    throw error
  }
}

/**
 * Runs `work` without a trace. The end of a response is an event of the upstream connection, whose context belongs to the request
 * that opened the connection.
 */
export const outsideTraces = <T>(work: () => T): T => (on ? context.with(ROOT_CONTEXT, work) : work())

const withoutTrace = <T>(work: () => T): T => work()

/** Captures the active trace for later work in 0.2 µs; `AsyncLocalStorage.snapshot` takes 3.7 µs. */
export function inActiveTrace(): <T>(work: () => T) => T {
  if (!on) return withoutTrace
  const active = context.active()
  return (work) => context.with(active, work)
}

/** Returns the header that continues the trace at the receiver: `traceparent`. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  if (on) propagation.inject(context.active(), headers)
  return headers
}

/** Returns the active trace as one text for a row; null without an active trace. */
export const traceparent = (): string | null => traceHeaders()['traceparent'] ?? null

/** Returns the trace fields of a log line. */
export function traceIds(): { trace_id?: string; span_id?: string } {
  const active = on ? trace.getSpanContext(context.active()) : undefined
  return active ? { trace_id: active.traceId, span_id: active.spanId } : {}
}
