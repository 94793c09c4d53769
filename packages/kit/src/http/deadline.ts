import type { IncomingHttpHeaders } from 'node:http'
import { requestTimes } from '@platter/contracts'

/**
 * The remaining milliseconds of a request when it is sent to another process. The value is relative, like gRPC's `grpc-timeout`,
 * because the clocks of two machines differ. `requestTimes.relay` includes the network time, which a relative value does not count.
 * Only the gateway sets a deadline: it removes this header from client requests.
 */
export const TIMEOUT_HEADER = 'x-platter-timeout-ms'

/** The time by which a request must have its response, by the monotonic clock of this process. */
export class Deadline {
  readonly #at: number

  private constructor(at: number) {
    this.#at = at
  }

  /** Returns the deadline `ms` milliseconds from now. */
  static in(ms: number): Deadline {
    return new Deadline(performance.now() + ms)
  }

  /**
   * Returns the deadline of a request that arrived `elapsedMs` ago. The default applies to a request with a later deadline or
   * without the header, as from internal callers and tests.
   */
  static of(headers: IncomingHttpHeaders, elapsedMs: number): Deadline {
    const sent = headers[TIMEOUT_HEADER]
    const isNumber = typeof sent === 'string' && /^\d{1,9}$/.test(sent)
    const ms = isNumber ? Math.min(Number(sent), requestTimes.deadline) : requestTimes.deadline
    return Deadline.in(ms - elapsedMs)
  }

  /** In milliseconds, never below 0. */
  get remainingMs(): number {
    return Math.max(0, this.#at - performance.now())
  }

  /** Also in its last millisecond: a timer that is set to the remaining time may fire up to 1 ms earlier. */
  get isOver(): boolean {
    return this.remainingMs < 1
  }

  /** Returns the timeout of a call within this request: `ms`, or the remaining time if that is less. */
  limit(ms: number): number {
    return Math.min(ms, this.remainingMs)
  }

  /** Returns a deadline that is `ms` earlier, for a part of the request's work. */
  earlier(ms: number): Deadline {
    return new Deadline(this.#at - ms)
  }

  /** The header with the remaining time, for a call to another process. */
  get header(): Record<typeof TIMEOUT_HEADER, string> {
    return { [TIMEOUT_HEADER]: String(Math.floor(this.remainingMs)) }
  }

  /** Returns the result of the work, or null if the deadline passes first. The work then continues, and its failure is ignored. */
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
