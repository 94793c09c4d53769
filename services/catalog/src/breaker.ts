/**
 * Spares a dependency that fails: after so many failures in a row it is left alone for `openMs`, then one
 * call may try; when that fails too, it is left alone again.
 */
export class Breaker {
  readonly #settings: { failures: number; openMs: number }
  #failed = 0
  #closedAt = 0

  constructor(settings: { failures: number; openMs: number }) {
    this.#settings = settings
  }

  /** What `call` gives, or `otherwise` when it fails or is not even tried. Never rejects. */
  async run<V>(call: () => Promise<V>, otherwise: V): Promise<V> {
    const { failures, openMs } = this.#settings
    if (this.#failed >= failures) {
      if (performance.now() < this.#closedAt) return otherwise
      this.#closedAt = performance.now() + openMs
    }
    try {
      const value = await call()
      this.#failed = 0
      return value
    } catch {
      // Why it failed is told by its connection's own events; the caller goes on without it.
      this.#failed += 1
      if (this.#failed === failures) this.#closedAt = performance.now() + openMs
      return otherwise
    }
  }
}
