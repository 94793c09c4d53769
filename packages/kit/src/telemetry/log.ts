import { logs, SeverityNumber, type AnyValue, type Logger as Emitter } from '@opentelemetry/api'
import { destination, pino, stdTimeFunctions, type DestinationStream } from 'pino'
import { Problem } from '#/http/problem.ts'
import { scrub } from '#/telemetry/scrub.ts'
import { isTelemetryOn, traceIds } from '#/telemetry/spans.ts'

/**
 * The allowed fields of a log line; all others are dropped. A new field must be added here, so that a review notices it. No field
 * contains text that a person has typed.
 */
const FIELDS = [
  // The request, the id of its access key (never the key), and the order.
  'requestId',
  'accessKeyId',
  'orderApiKey',
  'restaurantApiKey',
  'method',
  'route',
  'status',
  'ms',
  // The failure.
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
  'call',
  'kind',
  // Events of the payment processor.
  'event',
  'type',
  'intent',
  'now',
  // The process and its dependencies.
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

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug'
type LogMethod = (fields: Partial<Record<LogField, unknown>>, message: string) => void

/** A log line has allowed fields and a message; never a body, a header or the whole error of an outgoing call. */
export type Log = Record<Level, LogMethod> & { flush(): void }

/**
 * Returns the loggable fields of an error. PostgreSQL puts the failing row into `detail` and `where`, and other libraries add whole
 * requests, so all other fields are omitted.
 */
function errorWithoutData(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const { code } = error as NodeJS.ErrnoException
  return { name, code, message, stack, ...(cause !== undefined && { cause: errorWithoutData(cause) }) }
}

/**
 * Returns the reason of a failure, for the field `reason` and for operators. The message of a problem is for its client, and its
 * cause has the reason. The message is empty if all addresses of a host name refuse the connection; then there is a code.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof Problem && error.cause !== undefined) return reasonOf(error.cause)
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name)
}

const onlyAllowed = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => allowed.has(name)))

/**
 * Returns a logger that writes one JSON line per event to `out` (default: standard output). With telemetry on, it also emits a log
 * record.
 */
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

type Line = { level: Level; time: string; msg?: string; err?: ErrorLine } & Record<string, AnyValue>
type ErrorLine = { name?: string; message?: string; stack?: string }

let emitter: Emitter | undefined

/** Emits a log record from the written line, so that the record contains nothing more than the line. The active trace applies. */
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
    severityNumber: SeverityNumber[level.toUpperCase() as Uppercase<Level>],
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
