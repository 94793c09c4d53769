import { ConcurrencyLimit } from '@platter/kit'

/** How often the limit is adapted. */
export const ADAPT_EVERY_MS = 100
const INCREASE = 5
const DECREASE = 0.9

/**
 * A concurrency limit for a service that signals overload, by additive increase and multiplicative decrease, as TCP's
 * window (RFC 5681, RFC 3168): up to 5 more each 100 ms while requests find no permit, a tenth less as soon as the service
 * rejects a request or marks a response. It grows while requests wait for a slow processor and shrinks while the service
 * lacks CPU. Excess requests are rejected here, where that is cheap (docs/decisions/0031-admission-control.md).
 */
export class AdaptiveLimit extends ConcurrencyLimit {
  readonly #least: number
  readonly #most: number
  #wasReached = false
  #answers = 0
  #decreases = 0

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

  /** How often the limit was decreased. A request that is sent now tells it to `answered` afterwards. */
  get decreases(): number {
    return this.#decreases
  }

  /**
   * The service answered a request that was sent after so many decreases. One from before the last decrease tells nothing of
   * the present limit. An overload counts at once: until then everything that comes goes to the service.
   */
  answered(decreasesBefore: number, isOverloaded: boolean): void {
    if (decreasesBefore < this.#decreases) return
    if (!isOverloaded) {
      this.#answers += 1
      return
    }
    this.#decreases += 1
    this.#answers = 0
    this.limit = Math.max(this.#least, Math.floor(Math.min(this.limit, this.inUse) * DECREASE))
  }

  /**
   * To be repeated each `ADAPT_EVERY_MS`; false, as there is no more to do until then. After a decrease the limit grows as good
   * answers come, no faster than the service works; before the first one by time, for all may wait for something silent.
   */
  adapt(): false {
    const increase = this.#decreases === 0 ? INCREASE : Math.min(INCREASE, this.#answers)
    if (this.#wasReached) this.limit = Math.min(this.#most, this.limit + increase)
    this.#wasReached = false
    this.#answers = 0
    return false
  }
}
