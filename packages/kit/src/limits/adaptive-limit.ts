import { ConcurrencyLimit } from '#/limits/concurrency-limit.ts'

/** How often the limit is adapted. */
export const ADAPT_EVERY_MS = 100
const INCREASE = 5
const DECREASE = 0.9

/** The permits at the start, and the bounds between which their number is adapted. */
export type AdaptiveRange = { first: number; least: number; most: number }

/**
 * A concurrency limit for a service that signals overload, by additive increase and multiplicative decrease, as TCP's
 * window (RFC 5681, RFC 3168): up to 5 more each 100 ms while requests find no permit, a tenth less as soon as the service
 * rejects a request or marks a response. It grows while requests wait for a slow processor and shrinks while the service
 * lacks CPU. Excess requests are rejected here, where that is cheap (docs/decisions/0031-admission-control.md).
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
   * To be repeated each `ADAPT_EVERY_MS`; false, because no more is due until then. After a decrease the limit grows by the
   * number of good responses, no faster than the service works. Before the first decrease it grows with time, because all
   * requests may wait for a silent system.
   */
  adapt(): false {
    const increase = this.#decreases === 0 ? INCREASE : Math.min(INCREASE, this.#goodResponses)
    if (this.#wasReached) this.permits = Math.min(this.#range.most, this.permits + increase)
    this.#wasReached = false
    this.#goodResponses = 0
    return false
  }

  /** A response to a request that was sent before the last decrease is ignored: it depends on an earlier limit. */
  protected override reporter(): (isOverloaded: boolean) => void {
    const decreasesBefore = this.#decreases
    return (isOverloaded) => {
      if (decreasesBefore < this.#decreases) return
      if (isOverloaded) this.#decrease()
      else this.#goodResponses += 1
    }
  }

  /** At once, not with the next `adapt`: until then the service would receive all new requests. */
  #decrease(): void {
    this.#decreases += 1
    this.#goodResponses = 0
    this.permits = Math.max(this.#range.least, Math.floor(Math.min(this.permits, this.inUse) * DECREASE))
  }
}
