import type { Policy, Standing } from '#/store/rate-limit.ts'

const WINDOW_MS = 1_000

const NONE_LEFT: Standing = { allowed: false, remaining: 0, seconds: WINDOW_MS / 1_000 }

/**
 * Limits the orders that an application may start per second, by a leaky bucket as a meter: unused capacity lasts for one
 * second. Fixed windows would admit all orders at their beginning, and other applications' orders would queue behind
 * them (docs/decisions/0031-admission-control.md). Each replica counts for itself.
 */
export class OrderRate {
  readonly policy: Policy
  /** Of each application: how many of its orders had not leaked away, and when that was, by `performance.now()`. */
  readonly #levels = new Map<string, { orders: number; at: number }>()
  /** Until when somebody was told to wait. */
  #tellsUntil = 0

  constructor(ordersPerSecond: number) {
    this.policy = { requests: ordersPerSecond, seconds: WINDOW_MS / 1_000 }
  }

  /** Counts an order of the application, unless it may not be. */
  take(applicationId: string): Standing {
    const now = performance.now()
    const orders = this.#withOneMore(applicationId, now)
    if (orders === null) return NONE_LEFT
    this.#levels.set(applicationId, { orders, at: now })
    return { ...NONE_LEFT, allowed: true, remaining: Math.floor(this.policy.requests - orders) }
  }

  /** Whether an application was told to wait within the last second. */
  get isAnyUsedUp(): boolean {
    return performance.now() < this.#tellsUntil
  }

  /** How an application stands that may not begin an order at this moment, which counts nothing; null for any other one. */
  usedUp(applicationId: string): Standing | null {
    return this.#withOneMore(applicationId, performance.now()) === null ? NONE_LEFT : null
  }

  /** The orders of an application that have not leaked away, and one more; null when that is too much. */
  #withOneMore(applicationId: string, now: number): number | null {
    const { requests } = this.policy
    const level = this.#levels.get(applicationId) ?? { orders: 0, at: now }
    const orders = Math.max(0, level.orders - ((now - level.at) / WINDOW_MS) * requests) + 1
    if (orders <= requests) return orders
    this.#tellsUntil = now + WINDOW_MS
    return null
  }
}
