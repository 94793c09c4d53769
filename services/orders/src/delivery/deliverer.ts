import { requestTimes, type RestaurantLink } from '@platter/contracts'
import { ConcurrencyLimit, Deadline, isUnavailable, type Log } from '@platter/kit'
import { Leases } from '#/delivery/lease.ts'
import { LEASE_MS, type DeliveryResult } from '#/domain/order-state.ts'
import type { PlacedOrder } from '#/domain/order.ts'
import type { Transmit } from '#/delivery/outside/restaurant-link.ts'
import { handlingResult, retryingDelivery } from '#/delivery/telemetry.ts'
import type { OpenDelivery, Orchestrator } from '#/saga/orchestrator.ts'
import { transition } from '#/saga/domain/transition.ts'
import type { Lease, LeasedDelivery } from '#/store/deliveries.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'deliveries' | 'restaurantLinks'> & {
  orchestrator: Pick<Orchestrator, 'apply'>
  log: Log
  defaultLink: RestaurantLink
  transmit: Transmit
  /** The maximum number of concurrent attempts of this replica. */
  attemptsAtOnce?: number
}

/** An attempt only waits for its restaurant: 64 restaurants that do not respond occupy 1,024 attempts. */
const ATTEMPTS_AT_ONCE = 1_024
const DUE_AT_ONCE = 50
/**
 * The maximum number of concurrent attempts per restaurant. A restaurant that responds in 300 ms receives 53 orders per second from
 * a replica.
 */
export const PER_RESTAURANT = 16
/**
 * The maximum number of attempts that wait for a permit of one restaurant. Together with the permits, this is the number of new
 * orders in progress of a replica.
 */
const PENDING_PER_RESTAURANT = 240
/** Shorter than the time after which a lease is renewed (`lease.ts`), because a renewal is a commit. */
const PERMIT_WITHIN_MS = 400
/** Far below LEASE_MS, so that a late renewal loses no lease. */
export const RENEW_EVERY_MS = 500

/** Stored for an attempt at the deadline, so that its restaurant receives no notice of an order that was never sent. */
const NO_PERMIT = { result: 'not-reached: too many orders of the restaurant', isSent: false }
const nothing = () => undefined

type Attempt = Pick<LeasedDelivery, 'attempt' | 'isOverdue' | 'isTried'> & {
  order: PlacedOrder
  link: RestaurantLink
  /** The time at which the lease was acquired, by `performance.now()`. */
  leasedAt: number
}

/**
 * Transmits orders to their restaurants. The deliveries table is the queue. The replica that commits the delivery makes the first
 * attempt; a replica that finds the lease expired makes the next one. One commit stores the restaurant's response and the saga's
 * next step. The deadline ends a delivery after any attempt: also after an error, a killed process, or one without a permit.
 */
export class Deliverer {
  readonly #deps: Deps
  readonly #leases: Leases
  /**
   * Otherwise a restaurant that does not respond would occupy every attempt of a replica for 10 s each, and delay the orders of all
   * other restaurants.
   */
  readonly #perRestaurant = new ConcurrencyLimit({
    permitsPerKey: PER_RESTAURANT,
    pendingPerKey: PENDING_PER_RESTAURANT,
  })
  readonly #running = new Set<Promise<void>>()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#leases = new Leases(deps)
  }

  /**
   * For a restaurant with a console, the commit that opens the delivery also accepts the order, because the console reads the rows.
   */
  async open(...[opening, at]: Parameters<OpenDelivery>): ReturnType<OpenDelivery> {
    if (opening.delivery?.outcome !== null) return { next: opening, begin: nothing }
    const { order, saga } = opening
    const link = (await this.#deps.restaurantLinks.find(order.restaurantApiKey)) ?? this.#deps.defaultLink
    // Read before the commit that acquires the lease, so that the lease never ends later here than in the database.
    const leasedAt = performance.now()
    if (link.kind !== 'console')
      return { next: opening, begin: (committed) => this.begin(committed, link, leasedAt) }
    const result = { outcome: 'accepted', link: 'console' } as const
    const accepted = transition(order, saga, { kind: 'delivered', at, result })
    return { next: accepted === 'stale' ? opening : accepted, begin: nothing }
  }

  /** Begins the first attempt. The transaction that committed the delivery has acquired its lease. */
  begin(order: PlacedOrder, link: RestaurantLink, leasedAt: number): void {
    // A later sweep finds the lease expired.
    if (this.#free === 0) return
    this.#run({ order, link, leasedAt, attempt: 1, isOverdue: false, isTried: false }, (work) => work())
  }

  /** Begins attempts that are due. Returns true if more may be due. */
  async sweep(): Promise<boolean> {
    const { deliveries, defaultLink } = this.#deps
    const limit = Math.min(DUE_AT_ONCE, this.#free)
    if (limit === 0) return false
    const leasedAt = performance.now()
    const due = await deliveries.acquireLeases({ limit, leaseMs: LEASE_MS })
    for (const one of due)
      this.#run({ ...one, leasedAt, link: one.link ?? defaultLink }, (work) => retryingDelivery(one, work))
    return due.length === limit
  }

  /** Renews the leases of slow attempts. */
  async renewLeases(): Promise<void> {
    await this.#leases.renew()
  }

  /**
   * Waits for `handlers`, which may still begin attempts, and then for running attempts, at most until the last connections are cut.
   * Renews their leases meanwhile, because the repeated work has stopped. Otherwise another replica would send the order to a slow
   * restaurant a second time. A restaurant has 10 s to respond: another replica repeats an attempt that is interrupted here.
   */
  async quiesce(handlers: Promise<void>): Promise<void> {
    const ended = handlers.then(() => Promise.all(this.#running))
    const deadline = Deadline.in(requestTimes.drain)
    while (!deadline.isOver && (await Deadline.in(RENEW_EVERY_MS).race(ended)) === null)
      // Without the database the leases expire.
      await this.renewLeases().catch(nothing)
  }

  get isAnyRunning(): boolean {
    return this.#leases.count > 0
  }

  get #free(): number {
    return Math.max(0, (this.#deps.attemptsAtOnce ?? ATTEMPTS_AT_ONCE) - this.#leases.count)
  }

  #run(attempt: Attempt, inTrace: (work: () => Promise<void>) => Promise<void>): void {
    const { log } = this.#deps
    const orderApiKey = attempt.order.apiKey
    const running = inTrace(() => this.#attempt(attempt)).catch((error: unknown) => {
      const line = { orderApiKey, attempt: attempt.attempt, err: error }
      if (isUnavailable(error)) log.warn(line, 'a delivery attempt was interrupted; its lease expires')
      else log.error(line, 'a delivery attempt failed')
    })
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }

  async #attempt(given: Attempt): Promise<void> {
    const { order, attempt, isOverdue, leasedAt } = given
    const lease = { orderApiKey: order.apiKey, attempt }
    using attemptLease = this.#leases.add({ ...lease, leasedAt })
    using permit = await this.#perRestaurant.waitAtMost(PERMIT_WITHIN_MS, order.restaurantApiKey)
    // Another replica may have made an attempt, or notified the restaurant of a cancellation. No order may arrive after that.
    if (!attemptLease.isValid) return
    if (isOverdue && given.isTried) return await this.#end(order.apiKey, { outcome: 'unreachable' })
    const failed = isOverdue ? { ...NO_PERMIT, link: given.link.kind } : null
    if (!permit) return await this.#deps.deliveries.releaseLease(lease, failed)
    await this.#transmit(lease, given)
  }

  async #transmit(lease: Lease, { link, order }: Attempt): Promise<void> {
    const { deliveries, log } = this.#deps
    const { orderApiKey } = lease
    const receipt = await this.#deps.transmit(link, { webhookId: `order_${order.apiKey}`, order })
    switch (receipt.kind) {
      case 'accepted':
        return this.#end(orderApiKey, { outcome: 'accepted', link: link.kind })
      case 'refused':
        return this.#end(orderApiKey, { outcome: 'refused', link: link.kind, reason: receipt.reason })
      case 'not-reached':
      case 'unknown':
        log.warn(
          { ...lease, ...receipt },
          'the restaurant has not accepted the order yet; the attempt is retried',
        )
        return deliveries.releaseLease(lease, {
          result: `${receipt.kind}: ${receipt.reason}`,
          link: link.kind,
          isSent: receipt.kind === 'unknown',
        })
    }
  }

  #end(orderApiKey: string, result: DeliveryResult): Promise<void> {
    return handlingResult(orderApiKey, result.outcome, async () => {
      await this.#deps.orchestrator.apply(orderApiKey, { kind: 'delivered', result })
    })
  }
}
