import { ConcurrencyLimit } from '@platter/kit'

/** How often the limit is adapted. */
export const ADAPT_EVERY_MS = 100
const INCREASE = 5
const DECREASE = 0.9

/**
 * A concurrency limit for a service that says itself when it is overloaded, found by additive increase and multiplicative
 * decrease, as TCP finds its window (RFC 5681): 5 more each 100 ms while requests find no permit, a tenth less as soon as
 * the service has rejected one. So it grows while requests wait for a slow processor, shrinks while the service
 * is short of CPU, and what is too much is refused here, where that is cheap (docs/decisions/0031).
 */
export class AdaptiveLimit extends ConcurrencyLimit {
  readonly #least: number
  readonly #most: number
  #wasReached = false
  #wasRejected = false

  constructor({ first, least, most }: { first: number; least: number; most: number }) {
    super(first)
    this.#least = least
    this.#most = most
  }

  override isAvailable(applicationId?: string): boolean {
    const isAvailable = super.isAvailable(applicationId)
    if (!isAvailable) this.#wasReached = true
    return isAvailable
  }

  /**
   * The service has rejected a request that had a permit. The first rejection counts, for all of one moment are one overload; and it
   * counts at once, for until then everything that comes goes to the service and is rejected there.
   */
  rejected(): void {
    if (this.#wasRejected) return
    this.#wasRejected = true
    this.limit = Math.max(this.#least, Math.floor(Math.min(this.limit, this.inUse) * DECREASE))
  }

  /** To be repeated each `ADAPT_EVERY_MS`; false, as there is no more to do until then. */
  adapt(): false {
    if (this.#wasReached && !this.#wasRejected) this.limit = Math.min(this.#most, this.limit + INCREASE)
    this.#wasReached = this.#wasRejected = false
    return false
  }
}
