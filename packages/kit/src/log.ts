import { pino, type Logger } from 'pino'

export type Log = Logger

/** One JSON line an event on stdout. Log named fields only: never a body, a header or a whole error of an outside call. */
export function createLog(service: string, level: string): Log {
  return pino({
    level,
    base: { service, pid: process.pid },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  })
}
