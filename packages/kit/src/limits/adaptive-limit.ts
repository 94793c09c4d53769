import { ConcurrencyLimit } from '#/limits/concurrency-limit.ts'

/** The interval at which the limit is adapted. */
export const ADAPT_EVERY_MS = 100
const INCREASE = 5
const DECREASE = 0.9

/** The number of permits at the start, and its bounds. */
export type AdaptiveRange = { first: number; least: number; most: number }

/**
 * A concurrency limit for a service that signals overload. It uses additive increase and multiplicative decrease, like TCP's
 * congestion window (RFC 5681, RFC 3168). The limit grows by up to 5 permits each 100 ms while requests find no permit. It shrinks
 * by a tenth when the service rejects a request or marks a response. So it grows while requests wait for a slow processor, and
 * shrinks while the service lacks CPU. Excess requests are rejected here, where a rejection is cheap
 * (docs/decisions/0031-admission-control.md).
 */
export class AdaptiveLimit extends ConcurrencyLimit {
  readonly #range: AdaptiveRange
  #wasReached = false
  #goodResponses = 0
  #decreases = 0

  constructor(range: AdaptiveRange) {
    super({ permits: range.first })
    this.#range = range
  }

  override isAvailable(key?: string): boolean {
    const isAvailable = super.isAvailable(key)
    if (!isAvailable) this.#wasReached = true
    return isAvailable
  }

  /**
   * Adapts the limit. A `Repeaters` loop calls it each `ADAPT_EVERY_MS`. After a decrease the limit grows by the number of good
   * responses, so not faster than the service works. Before the first decrease it grows with time, because all requests may wait for
   * a system that does not respond.
   */
  adapt(): void {
    const increase = this.#decreases === 0 ? INCREASE : Math.min(INCREASE, this.#goodResponses)
    if (this.#wasReached) this.permits = Math.min(this.#range.most, this.permits + increase)
    this.#wasReached = false
    this.#goodResponses = 0
  }

  /** Ignores responses to requests that were sent before the last decrease, because they depend on an earlier limit. */
  protected override reporter(): (isOverloaded: boolean) => void {
    const decreasesBefore = this.#decreases
    return (isOverloaded) => {
      if (decreasesBefore < this.#decreases) return
      if (isOverloaded) this.#decrease()
      else this.#goodResponses += 1
    }
  }

  /** Decreases the limit immediately. Until the next `adapt`, the service would receive all new requests. */
  #decrease(): void {
    this.#decreases += 1
    this.#goodResponses = 0
    this.permits = Math.max(this.#range.least, Math.floor(Math.min(this.permits, this.inUse) * DECREASE))
  }
}
