/**
 * Makes no calls of a failing dependency: after `failures` failures in a row the circuit is open for `openMs`. Then one call is
 * made; it closes the circuit or, when it fails, opens it again.
 */
export class CircuitBreaker {
  readonly #settings: { failures: number; openMs: number }
  #failures = 0
  #openUntil = 0

  constructor(settings: { failures: number; openMs: number }) {
    this.#settings = settings
  }

  /** The result of `call`, or `fallback` when it fails or the circuit is open. Never rejects. */
  async run<V>(call: () => Promise<V>, fallback: V): Promise<V> {
    const { failures, openMs } = this.#settings
    if (this.#failures >= failures) {
      if (performance.now() < this.#openUntil) return fallback
      this.#openUntil = performance.now() + openMs
    }
    try {
      const value = await call()
      this.#failures = 0
      return value
    } catch {
      // The events of the connection are logged with their reason.
      this.#failures += 1
      if (this.#failures === failures) this.#openUntil = performance.now() + openMs
      return fallback
    }
  }
}
