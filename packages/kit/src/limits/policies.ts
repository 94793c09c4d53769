import type { AdmissionClass } from '@platter/contracts'
import type { AdaptiveRange } from '#/limits/adaptive-limit.ts'

/** Limits of one admission class (docs/decisions/0140-admission-package.md). Requests of restaurants and operators have none. */
export type AdmissionPolicy = {
  /**
   * Permits at the gateway for each replica of the owner. A range is adapted to the owner's overload marks; its least applies
   * to all replicas together. Classes with the same `pool` share the permits of an owner.
   */
  gateway: { pool: string; permits: number | AdaptiveRange } | null
  /** Permits in a replica of the owner. */
  service: number
  /** Whether a request counts against the order rate of its application. */
  isOrder?: true
}

const GENERAL = { pool: 'general', permits: 256 }

export const ADMISSION_POLICIES = {
  // Orders in progress. `first`: as many as `service`; `least`: enough for orders to share commits.
  order: {
    gateway: { pool: 'orders', permits: { first: 96, least: 32, most: 2_000 } },
    // 96 orders that are checked and accepted together take 0.3 s on two cores.
    service: 96,
    isOrder: true,
  },
  // An application has 16 of the 24, which are hashed within 1.5 s, so that others do not wait behind hundreds. The 31 wait
  // 0.9 s for their turn, and 2.8 s under lasting load; 21 of them may be of one application.
  password: { gateway: { pool: 'passwords', permits: 24 }, service: 31 },
  // At 3,000 reads a second 512 at a time are 0.17 s behind.
  read: { gateway: GENERAL, service: 512 },
  write: { gateway: GENERAL, service: Infinity },
  priority: { gateway: null, service: Infinity },
} satisfies Record<AdmissionClass, AdmissionPolicy>
