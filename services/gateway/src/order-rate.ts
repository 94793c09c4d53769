import type { Policy, Standing } from '#/store/rate-limit.ts'

const WINDOW_MS = 1_000

const NONE_LEFT: Standing = { allowed: false, remaining: 0, seconds: WINDOW_MS / 1_000 }

/**
 * How many orders an application may begin in a second, evenly: what is not used is kept for a second and no longer (GCRA,
 * the leaky bucket as a meter). Windows that are counted anew would let in all of them at their beginning, and whoever
 * sends an order at that moment waits behind them (docs/decisions/0031). Each replica counts for itself.
 */
export class OrderRate {
  readonly policy: Policy
  readonly #intervalMs: number
  /** Until when an application has used up what comes evenly, by `performance.now()`. */
  readonly #usedUntil = new Map<string, number>()
  /** Until when somebody was told to wait. */
  #tellsUntil = 0

  constructor(ordersPerSecond: number) {
    this.policy = { requests: ordersPerSecond, seconds: WINDOW_MS / 1_000 }
    this.#intervalMs = WINDOW_MS / ordersPerSecond
  }

  /** Counts an order of the application, unless it may not be. */
  take(applicationId: string): Standing {
    const now = performance.now()
    const used = this.#withOneMore(applicationId, now)
    if (used === null) return NONE_LEFT
    this.#usedUntil.set(applicationId, used)
    const remaining = Math.floor((now + WINDOW_MS - used) / this.#intervalMs)
    return { allowed: true, remaining, seconds: WINDOW_MS / 1_000 }
  }

  /** Whether an application was told to wait within the last second. */
  get isAnyUsedUp(): boolean {
    return performance.now() < this.#tellsUntil
  }

  /** How an application stands that may not begin an order at this moment, which counts nothing; null for any other one. */
  usedUp(applicationId: string): Standing | null {
    return this.#withOneMore(applicationId, performance.now()) === null ? NONE_LEFT : null
  }

  /** Until when an application would have used up what comes evenly, after one more; null when that is too much. */
  #withOneMore(applicationId: string, now: number): number | null {
    const used = Math.max(now, this.#usedUntil.get(applicationId) ?? 0) + this.#intervalMs
    if (used <= now + WINDOW_MS) return used
    this.#tellsUntil = now + WINDOW_MS
    return null
  }
}
