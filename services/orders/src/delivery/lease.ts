import { LEASE_MS } from '#/domain/order-state.ts'
import type { DeliveryStore, Lease } from '#/store/deliveries.ts'

/** Most restaurants have answered by then; one that has not is slow. */
const SLOW_AFTER_MS = 500
/** A lease is renewed when it is so old, for a renewal is a commit. Two of them may fail before it expires. */
const RENEWED_AFTER_MS = 1_000

/** `acquiredAt`: before the statement that acquired or renewed it was sent, by `performance.now()`. */
type Held = Lease & { acquiredAt: number; startedAt: number; isSlow: boolean }

/** `isValid`: it has not expired; no other replica can have acquired it. */
export type HeldLease = Disposable & { readonly isValid: boolean }

/**
 * The leases that this replica holds. Those of slow attempts are renewed by one statement. A
 * replica that is frozen or cut off from the database loses them after `LEASE_MS`, and begins no attempt any more.
 */
export class Leases {
  readonly #deliveries: DeliveryStore
  readonly #held = new Set<Held>()

  constructor({ deliveries }: { deliveries: DeliveryStore }) {
    this.#deliveries = deliveries
  }

  get count(): number {
    return this.#held.size
  }

  /** Takes a lease into account that was acquired at `acquiredAt`, until it is disposed of. */
  hold({ orderApiKey, attempt }: Lease, acquiredAt: number): HeldLease {
    const held = { orderApiKey, attempt, acquiredAt, startedAt: performance.now(), isSlow: false }
    this.#held.add(held)
    return {
      get isValid() {
        return performance.now() < held.acquiredAt + LEASE_MS
      },
      [Symbol.dispose]: () => void this.#held.delete(held),
    }
  }

  /** Renews the leases of slow attempts. Gives the orders whose attempts have become slow since the last call. */
  async renew(): Promise<string[]> {
    const now = performance.now()
    const slow = [...this.#held].filter(({ startedAt }) => startedAt + SLOW_AFTER_MS <= now)
    const become = slow.filter(({ isSlow }) => !isSlow)
    for (const one of become) one.isSlow = true
    const due = slow.filter(({ acquiredAt }) => acquiredAt + RENEWED_AFTER_MS <= now)
    const renewed = due.length === 0 ? new Set() : await this.#deliveries.renewLeases(due, LEASE_MS)
    for (const one of due) if (renewed.has(one.orderApiKey)) one.acquiredAt = now
    return become.map(({ orderApiKey }) => orderApiKey)
  }
}
