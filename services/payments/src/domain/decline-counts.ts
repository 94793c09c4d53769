type Window = { count: number; endsAt: number }

/**
 * How often each key was declined within a window, which begins with the first decline of that key. Keys of ended windows
 * are forgotten. Times are in epoch milliseconds.
 */
export class DeclineCounts {
  readonly #windowMs: number
  /** In the order of their beginning, and so of their end, give or take the skew of the clocks of the replicas. */
  readonly #windows = new Map<string, Window>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Counts a decline that happened at `at`. One whose window has ended by `now` changes nothing. */
  add(key: string, at: number, now: number): void {
    this.#forgetEnded(now)
    if (at + this.#windowMs <= now) return
    const window = this.#windows.get(key)
    if (window && window.endsAt > now) {
      window.count += 1
      return
    }
    this.#windows.delete(key)
    this.#windows.set(key, { count: 1, endsAt: at + this.#windowMs })
  }

  /** Milliseconds until a key that has reached `limit` may be declined again; null for a key below its limit. */
  exhaustedForMs(key: string, limit: number, now: number): number | null {
    const window = this.#windows.get(key)
    return window && window.count >= limit && window.endsAt > now ? window.endsAt - now : null
  }

  get size(): number {
    return this.#windows.size
  }

  #forgetEnded(now: number): void {
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now) return
      this.#windows.delete(key)
    }
  }
}
