import { destination, pino, stdTimeFunctions, type DestinationStream } from 'pino'
import { Problem } from '#/http/problem.ts'
import { scrub } from '#/telemetry/scrub.ts'
import { traceIds } from '#/telemetry/spans.ts'

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
  // The message of OpenSSL has an address in memory and a line of its sources.
  const { library, reason } = error as Error & { library?: unknown; reason?: unknown }
  if (library !== undefined && typeof reason === 'string') return `TLS: ${reason}`
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name)
}

const onlyAllowed = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => allowed.has(name)))

/** Returns a logger that writes one JSON line per event to `out` (default: standard output). */
export function createLog(
  service: string,
  level: string,
  out: DestinationStream & { flushSync?(): void } = destination(1),
): Log {
  const write = (line: string): void => out.write(scrub(line))
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
