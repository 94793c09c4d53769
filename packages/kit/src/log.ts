import { pino, type Logger } from 'pino'

export type Log = Logger

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

/** One JSON line an event on stdout. Log named fields only: never a body, a header or a whole error of an outside call. */
export function createLog(service: string, level: string): Log {
  return pino({
    level,
    base: { service, pid: process.pid },
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: errorWithoutData },
    timestamp: pino.stdTimeFunctions.isoTime,
  })
}
