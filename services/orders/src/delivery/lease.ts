import { LEASE_MS } from '#/domain/order-state.ts'
import type { DeliveryStore, Lease } from '#/store/deliveries.ts'

/** Most restaurants respond within this time. */
const SLOW_AFTER_MS = 500
/** A renewal is a commit, so a lease is renewed only after this time. Two renewals may fail before the lease expires. */
const RENEWED_AFTER_MS = 1_000

type Order = { apiKey: string; restaurantApiKey: string }
/** `leasedAt`: the time by `performance.now()`, before the statement that acquired or renewed the lease was sent. */
type Attempt = { order: Order; attempt: number; leasedAt: number }
type Held = Lease & Attempt & { startedAt: number; isSlow: boolean }

/** `isValid`: the lease has not expired, so no other replica has acquired it. */
type HeldLease = Disposable & { readonly isValid: boolean }

/**
 * The leases of this replica. One statement renews those of slow attempts. A replica that is frozen or disconnected from the
 * database loses its leases after `LEASE_MS`, and then makes no attempt.
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

  /** Adds the lease of an attempt, until it is disposed of. */
  add({ order, attempt, leasedAt }: Attempt): HeldLease {
    const startedAt = performance.now()
    const held = { order, orderApiKey: order.apiKey, attempt, leasedAt, startedAt, isSlow: false }
    this.#held.add(held)
    return {
      get isValid() {
        return performance.now() < held.leasedAt + LEASE_MS
      },
      [Symbol.dispose]: () => void this.#held.delete(held),
    }
  }

  /** Renews the leases of slow attempts. Returns the orders whose attempts have become slow since the last call. */
  async renew(): Promise<Order[]> {
    const now = performance.now()
    const slow = [...this.#held].filter(({ startedAt }) => startedAt + SLOW_AFTER_MS <= now)
    const newlySlow = slow.filter(({ isSlow }) => !isSlow)
    for (const one of newlySlow) one.isSlow = true
    const due = slow.filter(({ leasedAt }) => leasedAt + RENEWED_AFTER_MS <= now)
    const renewed = due.length === 0 ? new Set() : await this.#deliveries.renewLeases(due, LEASE_MS)
    for (const one of due) if (renewed.has(one.orderApiKey)) one.leasedAt = now
    return newlySlow.map(({ order }) => order)
  }
}
