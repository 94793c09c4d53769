import { LEASE_MS } from '#/domain/order-state.ts'
import type { Stores } from '#/store/stores.ts'
import type { Lease } from '#/store/deliveries.ts'

/** A renewal is a commit, so a lease is renewed only after this time. Two renewals may fail before the lease expires. */
const RENEWED_AFTER_MS = 1_000

/** `leasedAt`: the time by `performance.now()`, before the statement that acquired or renewed the lease was sent. */
type AcquiredLease = Lease & { leasedAt: number }

/** The lease of an attempt. `isValid`: it has not expired, so no other replica has stolen it. */
type AttemptLease = Disposable & { readonly isValid: boolean }

/**
 * The leases of this replica. One statement renews those of slow attempts. A replica that is frozen or disconnected from the
 * database loses its leases after `LEASE_MS`, and then makes no attempt.
 */
export class Leases {
  readonly #deliveries: Stores['deliveries']
  readonly #leases = new Set<AcquiredLease>()

  constructor({ deliveries }: { deliveries: Stores['deliveries'] }) {
    this.#deliveries = deliveries
  }

  get count(): number {
    return this.#leases.size
  }

  /** Adds the lease of an attempt, until it is disposed of. */
  add({ orderApiKey, attempt, leasedAt }: AcquiredLease): AttemptLease {
    const lease = { orderApiKey, attempt, leasedAt }
    this.#leases.add(lease)
    return {
      get isValid() {
        return performance.now() < lease.leasedAt + LEASE_MS
      },
      [Symbol.dispose]: () => void this.#leases.delete(lease),
    }
  }

  /** Renews the leases of slow attempts. */
  async renew(): Promise<void> {
    const now = performance.now()
    const due = [...this.#leases].filter(({ leasedAt }) => leasedAt + RENEWED_AFTER_MS <= now)
    if (due.length === 0) return
    const renewed = await this.#deliveries.renewLeases(due, LEASE_MS)
    for (const one of due) if (renewed.has(one.orderApiKey)) one.leasedAt = now
  }
}
