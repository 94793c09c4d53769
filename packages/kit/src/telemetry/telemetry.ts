import { createHash } from 'node:crypto'
import {
  context,
  createContextKey,
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
 * Manual spans and metrics at process boundaries (docs/decisions/0014-telemetry.md). Until `turnOn`, which only
 * telemetry-sdk.ts calls, each call costs the read of one variable.
 */

export const SCOPE = 'platter'
const tracer = trace.getTracer(SCOPE)
let on = false

/** Whether anything is sent anywhere. */
export const isTelemetryOn = (): boolean => on

/** How traces are sampled that no caller has decided about. */
export type Sampling = {
  /** The caller's decision holds. Otherwise the SDK's sampler decides in each process. */
  isParentBased: boolean
  /** The share of new traces that is recorded, 0 to 1. */
  ratio: number
}

let sampling: Sampling = { isParentBased: true, ratio: 0 }

export function turnOn(chosen: Sampling): void {
  on = true
  sampling = chosen
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

/** Where work comes from: W3C Trace Context, and the id that its log lines have in every service. */
export type Origin = { traceparent: unknown; requestId: string }

type Entrance = {
  name: string
  kind: SpanKind
  /** Called only when the span is recorded. */
  attributes: () => Attributes
  /** The sender ended long ago, so that the span is linked to the sender's span as well. */
  linked?: boolean
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/

/**
 * Decides about recording before anything is allocated: span, ids and context of an unsampled request cost more than all
 * metrics and logs together. `mayBegin`: a trace may start here. Behind the gateway an absent `traceparent` means that the
 * gateway has decided against it. `chance`: uniform in [0, 1).
 */
export function decide(
  traceparent: unknown,
  { mayBegin, isParentBased, ratio, chance }: Sampling & { mayBegin: boolean; chance: () => number },
): 'record' | 'drop' | 'ask sampler' {
  const flags = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined
  if (flags === undefined && !mayBegin) return 'drop'
  if (!isParentBased) return 'ask sampler'
  if (flags !== undefined) return Number.parseInt(flags, 16) & TraceFlags.SAMPLED ? 'ask sampler' : 'drop'
  return chance() < ratio ? 'record' : 'drop'
}

/** The entry of a request, message or resumed saga into this process; null when its trace is not recorded. */
export function startEntry(
  origin: Origin,
  entrance: Entrance,
  { mayBegin = false }: { mayBegin?: boolean } = {},
): Entry | null {
  if (!on) return null
  const decision = decide(origin.traceparent, { ...sampling, mayBegin, chance: Math.random })
  if (decision === 'drop') return null
  const entry = new Entry(origin, entrance, decision === 'record')
  return entry.isSampled ? entry : null
}

/** Where work enters a process: a request, a message, a resumed saga. */
export class Entry {
  readonly traceId: string
  readonly isSampled: boolean
  readonly #span: Span
  /** Parent of everything that the work causes. */
  readonly #context: Context

  /** `isForced`: recorded whatever the sampler says. */
  constructor(origin: Origin, { name, kind, attributes, linked = false }: Entrance, isForced = false) {
    const sender = senderOf(origin)
    const from = linked ? trace.getSpanContext(sender) : undefined
    const options = { kind, links: from ? [{ context: from }] : [] }
    this.#span = tracer.startSpan(name, options, isForced ? sender.setValue(KEPT, true) : sender)
    this.#context = trace.setSpan(sender, this.#span)
    this.traceId = this.#span.spanContext().traceId
    this.isSampled = this.#span.isRecording()
    if (this.isSampled) this.#span.setAttributes(attributes())
  }

  run<T>(work: () => T): T {
    return context.with(this.#context, work)
  }

  /** To be called once. `failure` names an error of our side. */
  end(attributes: Attributes = {}, failure: string | null = null): void {
    end(this.#span, attributes, failure)
  }
}

/** Without `tracestate`, which is any text of the caller and would be stored with every span. */
const senderOf = ({ traceparent }: Origin): Context => propagation.extract(ROOT_CONTEXT, { traceparent })

function end(span: Span, attributes: Attributes, failure: string | null): void {
  span.setAttributes(attributes)
  if (failure !== null) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/**
 * Records what failed although its trace is not sampled: one span for each process, all in one trace. That is the caller's
 * trace, or one whose id is the request id. `startTime` in epoch milliseconds.
 */
export function recordFailure(
  origin: Origin,
  { name, kind, attributes }: Entrance,
  outcome: { startTime: number; attributes?: Attributes; failure: string },
): void {
  if (!on) return
  const { startTime, failure } = outcome
  const parent = trace.setSpanContext(ROOT_CONTEXT, unsampledParent(origin)).setValue(KEPT, true)
  const span = tracer.startSpan(name, { kind, startTime, attributes: attributes() }, parent)
  end(span, outcome.attributes ?? {}, failure)
}

/** The trace in which `recordFailure` records. */
export const failureTraceId = (origin: Origin): string => unsampledParent(origin).traceId

const HEX_32 = /^(?!0{32})[0-9a-f]{32}$/

/** A request id of ours is a UUID, whose digits are a trace id; of any other text the hash is. */
function unsampledParent(origin: Origin): SpanContext {
  const given = trace.getSpanContext(senderOf(origin))
  if (given) return given
  const hash = createHash('sha256').update(origin.requestId).digest('hex')
  const digits = origin.requestId.replaceAll('-', '')
  const traceId = HEX_32.test(digits) ? digits : hash.slice(0, 32)
  return { traceId, spanId: hash.slice(32, 48), traceFlags: TraceFlags.NONE, isRemote: true }
}

/** Runs `work` as what entered with the origin. Its rejection is passed on, and is a failure of our side. */
export async function inEntry<T>(origin: Origin, entrance: Entrance, work: () => Promise<T>): Promise<T> {
  if (!on) return work()
  const entry = startEntry(origin, entrance)
  const startTime = Date.now()
  try {
    const result = await (entry ? entry.run(work) : work())
    entry?.end()
    return result
  } catch (error) {
    const failure = typeOf(error)
    if (entry) entry.end({}, failure)
    else recordFailure(origin, entrance, { startTime, failure })
    throw error
  }
}

/**
 * Runs `work` in no trace. The end of a response is an event of the connection to its upstream, and has the context of the
 * request that opened that connection.
 */
export const outsideTraces = <T>(work: () => T): T => (on ? context.with(ROOT_CONTEXT, work) : work())

const withoutTrace = <T>(work: () => T): T => work()

/** Runs later work in the trace that is active now. `AsyncLocalStorage.snapshot` takes 3.7 µs for that, instead of 0.2. */
export function inActiveTrace(): <T>(work: () => T) => T {
  if (!on) return withoutTrace
  const active = context.active()
  return (work) => context.with(active, work)
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
