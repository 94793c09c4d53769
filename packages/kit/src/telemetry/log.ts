import { logs, SeverityNumber, type AnyValue, type Logger as Emitter } from '@opentelemetry/api'
import { destination, pino, stdTimeFunctions, type DestinationStream } from 'pino'
import { scrub } from '#/telemetry/scrub.ts'
import { isTelemetryOn, traceIds } from '#/telemetry/spans.ts'

/**
 * The fields of a log line; all others are dropped. A new field has to be added here, where a review sees it. No field contains text
 * that a person has typed.
 */
const FIELDS = [
  // Which request, whose (the id of the access key, never the key), which order.
  'requestId',
  'accessKeyId',
  'orderApiKey',
  'restaurantApiKey',
  'method',
  'route',
  'status',
  'ms',
  // What went wrong.
  'err',
  'code',
  'reason',
  'count',
  // Messages, sagas, money.
  'message',
  'command',
  'step',
  'attempt',
  'state',
  'move',
  'kind',
  // Events of the payment processor.
  'event',
  'type',
  'intent',
  'now',
  // The process and what it stands on.
  'address',
  'connection',
  'migration',
  'index',
  'signal',
  'work',
  'trace_id',
  'span_id',
] as const
export type LogField = (typeof FIELDS)[number]
const allowed: ReadonlySet<string> = new Set(FIELDS)

type Say = (fields: Partial<Record<LogField, unknown>>, message: string) => void

/** Named fields and a sentence: never a body, a header or a whole error of an outside call. */
export type Log = Record<'fatal' | 'error' | 'warn' | 'info' | 'debug', Say> & { flush(): void }

/**
 * What may be said of an error: PostgreSQL puts the failing row into `detail` and `where`, other libraries
 * whole requests into fields of their own, so everything but these is left out.
 */
function errorWithoutData(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const { code } = error as NodeJS.ErrnoException
  return { name, code, message, stack, ...(cause !== undefined && { cause: errorWithoutData(cause) }) }
}

const onlyAllowed = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => allowed.has(name)))

/** One JSON line an event, on standard output unless another place is given; and as a log record where OTLP is on. */
export function createLog(
  service: string,
  level: string,
  out: DestinationStream & { flushSync?(): void } = destination(1),
): Log {
  const write = (line: string): void => {
    const scrubbed = scrub(line)
    out.write(scrubbed)
    if (isTelemetryOn()) emit(scrubbed)
  }
  return pino(
    {
      level,
      base: { service, pid: process.pid },
      formatters: { level: (label) => ({ level: label }), log: onlyAllowed },
      serializers: { err: errorWithoutData },
      timestamp: stdTimeFunctions.isoTime,
      mixin: traceIds,
    },
    { write, flush: (done?: () => void) => (out.flushSync?.(), done?.()) } as DestinationStream,
  )
}

const SEVERITIES: Record<string, SeverityNumber> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
}

type Line = { level: string; time: string; msg?: string; err?: ErrorLine } & Record<string, AnyValue>
type ErrorLine = { name?: string; message?: string; stack?: string }

let emitter: Emitter | undefined

/** The line as it was written, so that nothing goes out that would not stand in the file. Its trace is the active one. */
function emit(line: string): void {
  emitter ??= logs.getLogger('platter')
  if (!emitter.enabled()) return
  const {
    level,
    time,
    msg,
    err,
    service: _1,
    pid: _2,
    trace_id: _3,
    span_id: _4,
    ...fields
  } = JSON.parse(line) as Line
  emitter.emit({
    timestamp: new Date(time),
    severityNumber: SEVERITIES[level] ?? SeverityNumber.UNSPECIFIED,
    severityText: level,
    body: msg ?? '',
    attributes: {
      ...fields,
      ...(err && {
        'exception.type': err.name ?? '',
        'exception.message': err.message ?? '',
        'exception.stacktrace': err.stack ?? '',
      }),
    },
  })
}
