import type { Caller, Operation, Owner } from '@platter/contracts'
import {
  AdaptiveLimit,
  ADMISSION_POLICIES,
  ConcurrencyLimit,
  overloaded,
  rateLimited,
  rateLimitFields,
  type AdmissionPolicy,
  type Problem,
  type RateLimit,
  observeLimits,
} from '@platter/kit'

type Deps = {
  /** The number of replicas of each owner. */
  replicas: Partial<Record<Owner, number>>
  /** The rate limit of an access key. */
  accessKeyRate: RateLimit
  /** The rate limit of an application's orders. */
  orderRate: RateLimit
  policies?: Record<Operation['admission'], AdmissionPolicy>
}

/** The limits of an operation in addition to the rate limit of the access key. */
export type Limits = { concurrency: ConcurrencyLimit | null; orderRate: RateLimit | null }

/** The problem of a rejected request, and the header fields of its response. */
type Rejection = { problem: Problem; fields: Record<string, string> }

/** The limits of the gateway, by the admission class of each operation (docs/decisions/0140-admission-package.md). */
export class Admission {
  readonly accessKeyRate: RateLimit
  readonly #deps: Deps
  readonly #policies: Record<Operation['admission'], AdmissionPolicy>
  /** Keyed by owner and pool. */
  readonly #concurrency = new Map<string, ConcurrencyLimit>()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#policies = deps.policies ?? ADMISSION_POLICIES
    this.accessKeyRate = deps.accessKeyRate
    observeLimits(() => this.#concurrency)
  }

  limitsOf({ admission, owner }: Operation): Limits {
    const { gateway, isOrder } = this.#policies[admission]
    return {
      concurrency: gateway && this.#concurrencyOf(owner, gateway),
      orderRate: isOrder ? this.#deps.orderRate : null,
    }
  }

  /** Returns whether `rejectionOf` can return a rejection. Usually it cannot, and no request needs the check. */
  get mayReject(): boolean {
    const { accessKeyRate, orderRate } = this.#deps
    if (accessKeyRate.isAnyUsedUp || orderRate.isAnyUsedUp) return true
    for (const limit of this.#concurrency.values()) if (limit.isNearlyReached) return true
    return false
  }

  /** Returns the rejection that a request would receive now, without counting the request; null if it would be admitted. */
  rejectionOf(principal: Caller, limits: Limits): Rejection | null {
    const applicationId = applicationOf(principal)
    if (limits.concurrency?.isAvailable(applicationId) === false) return { problem: overloaded(), fields: {} }
    return (
      usedUp(this.accessKeyRate, principal.accessKeyId) ??
      (limits.orderRate && applicationId !== undefined ? usedUp(limits.orderRate, applicationId) : null)
    )
  }

  /** Called every `ADAPT_EVERY_MS`. */
  adapt(): void {
    for (const limit of this.#concurrency.values()) if (limit instanceof AdaptiveLimit) limit.adapt()
  }

  #concurrencyOf(owner: Owner, { pool, permits }: NonNullable<AdmissionPolicy['gateway']>): ConcurrencyLimit {
    const name = `${owner} ${pool}`
    const replicas = this.#deps.replicas[owner] ?? 1
    const limit = this.#concurrency.get(name) ?? concurrencyLimit(permits, replicas)
    this.#concurrency.set(name, limit)
    return limit
  }
}

export const applicationOf = (principal: Caller): string | undefined =>
  principal.kind === 'application' ? principal.applicationId : undefined

const concurrencyLimit = (
  permits: NonNullable<AdmissionPolicy['gateway']>['permits'],
  replicas: number,
): ConcurrencyLimit =>
  typeof permits === 'number'
    ? new ConcurrencyLimit({ permits: permits * replicas })
    : new AdaptiveLimit({ ...permits, first: permits.first * replicas, most: permits.most * replicas })

function usedUp(rate: RateLimit, key: string): Rejection | null {
  const quota = rate.usedUp(key)
  return quota && { problem: rateLimited(rate.policy, quota), fields: rateLimitFields(rate.policy, quota) }
}
