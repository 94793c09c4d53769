import type { Bus } from '@platter/bus'
import { CatalogAttendance } from '@platter/contracts'
import { newRequestId, type Log } from '@platter/kit'
import type { LinkKind, WebhookLink } from '#/domain/order-state.ts'
import { WRITE_EVERY_MS, type AttendanceStore, type Attended, type Results } from '#/store/attendance.ts'
import type { Receipt } from '#/delivery/outside/restaurant-link.ts'

/** `reason`: of the last failure; null after a success. */
type Reported = Results & { reason: string | null }

type Deps = {
  store: AttendanceStore
  bus: Pick<Bus, 'publish'>
  log: Log
  defaultKind: LinkKind
  /** Returns why the restaurant's system does not respond with a 2xx; null if it does. */
  ping: (link: WebhookLink) => Promise<string | null>
  /** A monotonic clock in milliseconds. */
  now?: () => number
  /** The wall clock in milliseconds. */
  date?: () => number
}

/** A sweeper that did not run successfully for this time has missed sightings. */
const GAP_MS = 10_000
/** Clients report within 20 s; they need additional time to reconnect. */
const GRACE_MS = 30_000
const PINGS_AT_ONCE = 50
const ROWS_PER_MESSAGE = 200

/**
 * Keeps the attendance rows current and publishes them to catalog. A sighting is a request of a restaurant's client, or its open
 * stream. Sightings and results of deliveries write at most one row per restaurant in 15 s. A sweep ends the attendance of
 * restaurants without recent sightings. After a start, an outage of the database, a suspension of the machine and a forward step of
 * its clock, the sweep pauses: sightings are missing then, and no restaurant may close because of that.
 */
export class AttendanceKeeper {
  readonly #deps: Deps
  readonly #now: () => number
  readonly #date: () => number
  /** The time at which this replica last wrote a sighting of each restaurant. */
  readonly #sightings = new Map<string, number>()
  /** The open streams of restaurants' own systems. */
  readonly #open = new Set<{ restaurantApiKey: string }>()
  readonly #results = new Map<string, Reported>()
  /** The time at which this replica last wrote a success of each restaurant. */
  readonly #succeeded = new Map<string, number>()
  /**
   * The time of the last successful sweep. By the wall clock, which the database also uses: the monotonic clock does not count a
   * suspension.
   */
  #sweptAt = -Infinity
  #graceEndsAt = Infinity

  constructor(deps: Deps) {
    this.#deps = deps
    this.#now = deps.now ?? (() => performance.now())
    this.#date = deps.date ?? Date.now
  }

  find(restaurantApiKey: string) {
    return this.#deps.store.find(restaurantApiKey)
  }

  /** Records a sighting of these restaurants' clients. */
  async recordSightings(restaurantApiKeys: readonly string[]): Promise<void> {
    const now = this.#now()
    const due = restaurantApiKeys.filter(
      (key) => now - (this.#sightings.get(key) ?? -Infinity) >= WRITE_EVERY_MS,
    )
    if (due.length === 0) return
    await this.#deps.store.recordSightings(due)
    for (const key of due) this.#sightings.set(key, now)
    await this.#updateAttended(due)
  }

  /** Records a sighting in the background, for requests whose response does not depend on it. */
  recordSightingInBackground(restaurantApiKey: string): void {
    void this.recordSightings([restaurantApiKey]).catch((error: unknown) =>
      this.#deps.log.warn({ restaurantApiKey, err: error }, 'a sighting of a restaurant was not recorded'),
    )
  }

  /** Records sightings while a stream of a restaurant's own system is open. Such a connection is closed when its system stops. */
  recordSightingsWhileOpen(restaurantApiKey: string, signal: AbortSignal): void {
    if (signal.aborted) return
    const stream = { restaurantApiKey }
    this.#open.add(stream)
    signal.addEventListener('abort', () => this.#open.delete(stream), { once: true })
    this.recordSightingInBackground(restaurantApiKey)
  }

  /** Discards the earlier results of a restaurant whose link was set, and publishes its new row. */
  async begin(restaurantApiKey: string, rows: Attended[]): Promise<void> {
    this.#sightings.delete(restaurantApiKey)
    this.#results.delete(restaurantApiKey)
    this.#succeeded.delete(restaurantApiKey)
    // Published even without a change: until now, catalog may have used the attendance of the default link.
    await this.#publishSoon(rows)
    await this.#updateAttended([restaurantApiKey])
  }

  /** Records the receipt of a delivery in memory. `flush` writes it later, so that the order is not delayed. */
  recordReceipt(restaurantApiKey: string, receipt: Receipt): void {
    // Counts neither way: the system runs, but a system that refuses every order does not attend its restaurant.
    if (receipt.kind === 'refused') return
    const { succeeded = false, failures = 0 } = this.#results.get(restaurantApiKey) ?? {}
    const results =
      receipt.kind === 'accepted'
        ? { succeeded: true, failures: 0, reason: null }
        : { succeeded, failures: failures + 1, reason: receipt.reason }
    this.#results.set(restaurantApiKey, { restaurantApiKey, ...results })
  }

  /** Writes the recorded results: failures immediately, successes at most every 15 s. */
  async flush(): Promise<void> {
    const now = this.#now()
    const due = [...this.#results.values()].filter(
      ({ restaurantApiKey, failures }) =>
        failures > 0 || now - (this.#succeeded.get(restaurantApiKey) ?? -Infinity) >= WRITE_EVERY_MS,
    )
    this.#results.clear()
    if (due.length > 0) await this.#addResults(due)
  }

  /** Pings the webhooks that are due. Returns true if more may be due. */
  async pingDue(): Promise<boolean> {
    const due = await this.#deps.store.acquirePings(PINGS_AT_ONCE)
    const results = await Promise.all(
      due.map(async ({ restaurantApiKey, link }) => {
        const reason = await this.#deps.ping(link)
        return { restaurantApiKey, succeeded: reason === null, failures: reason === null ? 0 : 1, reason }
      }),
    )
    if (results.length > 0) await this.#addResults(results)
    return due.length === PINGS_AT_ONCE
  }

  /** Renews the sightings of open streams, and ends the attendance of restaurants whose sightings have ended. */
  async sweep(): Promise<void> {
    const open = new Set([...this.#open].map(({ restaurantApiKey }) => restaurantApiKey))
    await this.recordSightings([...open])
    const now = this.#now()
    const date = this.#date()
    for (const times of [this.#sightings, this.#succeeded])
      for (const [key, at] of times) if (now - at > WRITE_EVERY_MS) times.delete(key)
    const isAfterGap = date - this.#sweptAt > GAP_MS
    // In the grace period the statement changes no row. It fails in an outage of the database, in which sightings are missing.
    await this.#updateAttended(isAfterGap || now < this.#graceEndsAt ? [] : 'all')
    // A failed round does not reach this line. It would otherwise end the gap, and with it the grace period after the outage.
    this.#sweptAt = date
    if (isAfterGap) this.#graceEndsAt = this.#now() + GRACE_MS
  }

  /** Publishes all rows, which repairs rows that catalog has missed. */
  async publishAll(): Promise<void> {
    if (this.#now() < this.#graceEndsAt) return
    for (let after: string | null = ''; after !== null;) {
      const rows: Attended[] = await this.#deps.store.list({ after, limit: ROWS_PER_MESSAGE })
      await this.#publish({ rows, othersAreAttended: this.#deps.defaultKind === 'webhook' })
      after = rows.length === ROWS_PER_MESSAGE ? (rows.at(-1)?.restaurantApiKey ?? null) : null
    }
  }

  async #addResults(results: readonly Reported[]): Promise<void> {
    await this.#deps.store.addResults(results)
    const now = this.#now()
    for (const { restaurantApiKey, failures } of results)
      if (failures === 0) this.#succeeded.set(restaurantApiKey, now)
      else this.#succeeded.delete(restaurantApiKey)
    const reasons = new Map(results.map(({ restaurantApiKey, reason }) => [restaurantApiKey, reason]))
    await this.#updateAttended([...reasons.keys()], reasons)
  }

  async #updateAttended(
    restaurantApiKeys: readonly string[] | 'all',
    reasons: ReadonlyMap<string, string | null> = new Map(),
  ): Promise<void> {
    const rows = await this.#deps.store.updateAttended(restaurantApiKeys)
    if (rows.length === 0) return
    for (const { restaurantApiKey, isAttended } of rows) {
      if (!isAttended) this.#sightings.delete(restaurantApiKey)
      const reason = isAttended ? 'attended' : `unattended: ${reasons.get(restaurantApiKey) ?? 'no request'}`
      this.#deps.log.info({ restaurantApiKey, reason }, 'the attendance of a restaurant has changed')
    }
    await this.#publishSoon(rows)
  }

  /** The rows are committed; `publishAll` repeats a failed publication. An outage of RabbitMQ is no gap between sweeps. */
  async #publishSoon(rows: Attended[]): Promise<void> {
    await this.#publish({ rows }).catch(() => 'published with all rows')
  }

  #publish(data: CatalogAttendance): Promise<void> {
    return this.#deps.bus.publish(CatalogAttendance, data, { requestId: newRequestId() })
  }
}
