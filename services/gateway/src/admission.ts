import type { Operation, Owner, Principal } from '@platter/contracts'
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
  /** How many replicas each owner has. */
  replicas: Partial<Record<Owner, number>>
  /** Limits the requests of an access key. */
  accessKeyRate: RateLimit
  /** Limits the orders of an application. */
  orderRate: RateLimit
  policies?: Record<Operation['admission'], AdmissionPolicy>
}

/** What applies to an operation besides the rate limit of the access key. */
export type Limits = { concurrency: ConcurrencyLimit | null; orderRate: RateLimit | null }

/** The problem of a rejected request, and the fields of its response. */
export type Rejection = { problem: Problem; fields: Record<string, string> }

/** The limits of the gateway, by the admission class of each operation (docs/decisions/0140-admission-package.md). */
export class Admission {
  readonly accessKeyRate: RateLimit
  readonly #deps: Deps
  readonly #policies: Record<Operation['admission'], AdmissionPolicy>
  /** By owner and pool. */
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

  /** Whether `rejectionOf` may return a rejection. Usually it may not, and no request needs to be examined. */
  get mayReject(): boolean {
    const { accessKeyRate, orderRate } = this.#deps
    if (accessKeyRate.isAnyUsedUp || orderRate.isAnyUsedUp) return true
    for (const limit of this.#concurrency.values()) if (limit.isNearlyReached) return true
    return false
  }

  /** Why a request would be rejected now, without counting it; null when it would not. */
  rejectionOf(principal: Exclude<Principal, { kind: 'service' }>, limits: Limits): Rejection | null {
    const applicationId = applicationOf(principal)
    if (limits.concurrency?.isAvailable(applicationId) === false) return { problem: overloaded(), fields: {} }
    return (
      usedUp(this.accessKeyRate, principal.accessKeyId) ??
      (limits.orderRate && applicationId !== undefined ? usedUp(limits.orderRate, applicationId) : null)
    )
  }

  /** To be repeated each `ADAPT_EVERY_MS`; false, because no more is due until then. */
  adapt(): false {
    for (const limit of this.#concurrency.values()) if (limit instanceof AdaptiveLimit) limit.adapt()
    return false
  }

  #concurrencyOf(owner: Owner, { pool, permits }: NonNullable<AdmissionPolicy['gateway']>): ConcurrencyLimit {
    const name = `${owner} ${pool}`
    const replicas = this.#deps.replicas[owner] ?? 1
    const limit = this.#concurrency.get(name) ?? concurrencyLimit(permits, replicas)
    this.#concurrency.set(name, limit)
    return limit
  }
}

export const applicationOf = (principal: Principal): string | undefined =>
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
