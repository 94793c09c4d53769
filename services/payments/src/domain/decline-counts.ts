type Window = { count: number; endsAt: number }

/**
 * Counts the declines of each key within a window, which begins with the first decline of that key. Keys of ended windows are
 * deleted. Times are in epoch milliseconds.
 */
export class DeclineCounts {
  readonly #windowMs: number
  /** Ordered by their beginning, and therefore by their end, apart from the clock skew between replicas. */
  readonly #windows = new Map<string, Window>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Counts a decline at the time `at`. A decline whose window has ended by `now` is ignored. */
  add(key: string, at: number, now: number): void {
    this.#deleteEnded(now)
    if (at + this.#windowMs <= now) return
    const window = this.#windows.get(key)
    if (window && window.endsAt > now) {
      window.count += 1
      return
    }
    this.#windows.delete(key)
    this.#windows.set(key, { count: 1, endsAt: at + this.#windowMs })
  }

  /** Returns the milliseconds until a key that has reached `limit` may be declined again; null for a key below its limit. */
  exhaustedForMs(key: string, limit: number, now: number): number | null {
    const window = this.#windows.get(key)
    return window && window.count >= limit && window.endsAt > now ? window.endsAt - now : null
  }

  get size(): number {
    return this.#windows.size
  }

  #deleteEnded(now: number): void {
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now) return
      this.#windows.delete(key)
    }
  }
}
