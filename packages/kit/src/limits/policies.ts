import type { AdmissionClass } from '@platter/contracts'
import type { AdaptiveRange } from '#/limits/adaptive-limit.ts'

/** Limits of one admission class (docs/decisions/0140-admission-package.md). Requests of restaurants and operators have none. */
export type AdmissionPolicy = {
  /**
   * Permits at the gateway for each replica of the owner. A range adapts to the overload marks of the owner; its `least` applies to
   * all replicas together. Classes with the same `pool` share the permits of an owner.
   */
  gateway: { pool: string; permits: number | AdaptiveRange } | null
  /** Permits in a replica of the owner. */
  service: number
}

const GENERAL = { pool: 'general', permits: 256 }

export const ADMISSION_POLICIES = {
  // Orders in progress. `first`: as many as `service`; `least`: enough for orders to share commits.
  order: {
    gateway: { pool: 'orders', permits: { first: 96, least: 32, most: 2_000 } },
    // To check and place 96 orders together takes 0.3 s on two cores.
    service: 96,
  },
  // One application may use 16 of the 24 permits. These 16 passwords are hashed within 1.5 s, so that other applications do not
  // wait behind hundreds. 31 requests in a replica wait 0.9 s, and 2.8 s under lasting load; one application may have 21 of them.
  password: { gateway: { pool: 'passwords', permits: 24 }, service: 31 },
  // At 3,000 reads a second, 512 concurrent reads are a delay of 0.17 s.
  read: { gateway: GENERAL, service: 512 },
  write: { gateway: GENERAL, service: Infinity },
  priority: { gateway: null, service: Infinity },
} satisfies Record<AdmissionClass, AdmissionPolicy>
