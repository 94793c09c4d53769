import { networkOf, Problem } from '@platter/kit'
import { RateLimiterMemory } from 'rate-limiter-flexible'

/** Whoever tries something out is held off until the minute is over; each replica counts for itself. */
const TRIES = { points: 30, duration: 60 }

/** Counts by network of the client (of IPv6 a /64) what was sent with a key, or a signature, that is none. */
export class BadTries {
  readonly #counted = new RateLimiterMemory(TRIES)
  readonly #of: string

  /** `of`: what is tried out, as a client is told. */
  constructor(of: string) {
    this.#of = of
  }

  /** Throws Problem rate-limited for an address in a network with too many. */
  async holdOff(address: string): Promise<void> {
    const bad = await this.#counted.get(networkOf(address))
    if (!bad || bad.remainingPoints > 0) return
    throw new Problem('rate-limited', `Too many requests with a bad ${this.#of} came from your address.`, {
      retryAfterSeconds: Math.max(1, Math.ceil(bad.msBeforeNext / 1_000)),
    })
  }

  async count(address: string): Promise<void> {
    await this.#counted.penalty(networkOf(address))
  }
}
