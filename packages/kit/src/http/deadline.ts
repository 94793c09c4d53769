import type { IncomingHttpHeaders } from 'node:http'
import { requestTimes } from '@platter/contracts'

/**
 * The milliseconds that a request has left when it is sent to another process. They are relative, as gRPC's `grpc-timeout`,
 * because the clocks of two machines differ; the time on the wire, which is lost by that, is part of `requestTimes.relay`.
 * Only the gateway opens a deadline: it passes no such header of a client on.
 */
export const TIMEOUT_HEADER = 'x-platter-timeout-ms'

/** The time by which a request has its response, by the monotonic clock of this process. */
export class Deadline {
  readonly #at: number

  private constructor(at: number) {
    this.#at = at
  }

  /** A deadline so many milliseconds from now. */
  static in(ms: number): Deadline {
    return new Deadline(performance.now() + ms)
  }

  /**
   * The deadline of a request that arrived `elapsedMs` ago. Without the header, or with a later deadline than the default, it has the
   * default: internal callers and tests send none.
   */
  static of(headers: IncomingHttpHeaders, elapsedMs: number): Deadline {
    const sent = headers[TIMEOUT_HEADER]
    const isNumber = typeof sent === 'string' && /^\d{1,9}$/.test(sent)
    const ms = isNumber ? Math.min(Number(sent), requestTimes.deadline) : requestTimes.deadline
    return Deadline.in(ms - elapsedMs)
  }

  /** Milliseconds, never below 0. */
  get remainingMs(): number {
    return Math.max(0, this.#at - performance.now())
  }

  get isOver(): boolean {
    return this.remainingMs === 0
  }

  /** For a call of this request that takes `ms` at most: never more than what remains. */
  limit(ms: number): number {
    return Math.min(ms, this.remainingMs)
  }

  /** A deadline that is `ms` earlier, for a part of the request's work. */
  earlier(ms: number): Deadline {
    return new Deadline(this.#at - ms)
  }

  /** The header field with the remaining time, for a call to another process. */
  get header(): Record<typeof TIMEOUT_HEADER, string> {
    return { [TIMEOUT_HEADER]: String(Math.floor(this.remainingMs)) }
  }

  /** The result of the work, or null when the deadline passes first. The work continues, and its later failure is ignored. */
  async race<T>(work: Promise<T>): Promise<T | null> {
    const over = Promise.withResolvers<null>()
    const timer = setTimeout(over.resolve, this.remainingMs, null)
    try {
      return await Promise.race([work, over.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
