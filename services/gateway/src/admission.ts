import type { Caller, Operation, Owner } from '@platter/contracts'
import {
  AdaptiveLimit,
  ADMISSION_POLICIES,
  ConcurrencyLimit,
  observeLimits,
  type AdmissionPolicy,
  type Log,
  type Problem,
  type RateLimit,
} from '@platter/kit'

type Deps = {
  /** The number of replicas of each owner. */
  replicas: Readonly<Record<Owner, number>>
  /** The rate limit of an access key. */
  accessKeyRate: RateLimit
  /** The rate limit of an application's orders. */
  orderRate: RateLimit
  policies?: Record<Operation['admission'], AdmissionPolicy>
}

/** The limits of an operation in addition to the rate limit of the access key. */
export type Limits = { concurrency: ConcurrencyLimit | null; orderRate: RateLimit | null }

/** The limits of the gateway, by the admission class of each operation (docs/decisions/0140-admission-package.md). */
export class Admission {
  readonly accessKeyRate: RateLimit
  readonly #deps: Deps
  readonly #policies: Record<Operation['admission'], AdmissionPolicy>
  /** Keyed by owner and pool. */
  readonly #concurrency = new Map<string, ConcurrencyLimit>()
  /** The rejected requests since the last log lines, by access key and code. */
  readonly #rejected = new Map<string, { accessKeyId: string; code: string; count: number }>()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#policies = deps.policies ?? ADMISSION_POLICIES
    this.accessKeyRate = deps.accessKeyRate
    observeLimits(() => this.#concurrency)
  }

  limitsOf({ admission, owner }: Operation): Limits {
    const { gateway } = this.#policies[admission]
    return {
      concurrency: gateway && this.#concurrencyOf(owner, gateway),
      orderRate: admission === 'order' ? this.#deps.orderRate : null,
    }
  }

  /**
   * Counts a rejected request. Thousands may arrive per second, and their cost delays accepted requests: 86 µs of CPU for each with a
   * log line of its own, 60 µs without.
   */
  countRejection(accessKeyId: string, { code }: Problem): void {
    const name = `${accessKeyId} ${code}`
    const count = (this.#rejected.get(name)?.count ?? 0) + 1
    this.#rejected.set(name, { accessKeyId, code, count })
  }

  /** Logs the rejections since the last call, one line for each access key and code. */
  logRejections(log: Log): void {
    for (const line of this.#rejected.values()) log.info(line, 'requests rejected')
    this.#rejected.clear()
  }

  /** Called every `ADAPT_EVERY_MS`. */
  adapt(): void {
    for (const limit of this.#concurrency.values()) if (limit instanceof AdaptiveLimit) limit.adapt()
  }

  #concurrencyOf(owner: Owner, { pool, permits }: NonNullable<AdmissionPolicy['gateway']>): ConcurrencyLimit {
    const name = `${owner} ${pool}`
    const limit = this.#concurrency.get(name) ?? concurrencyLimit(permits, this.#deps.replicas[owner])
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
