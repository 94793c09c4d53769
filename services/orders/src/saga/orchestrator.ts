import type { Bus } from '@platter/bus'
import { OrderMoved, type RestaurantLink, type SagaAnswer } from '@platter/contracts'
import { overloaded, traceparent, type Log } from '@platter/kit'
import { LEASE_MS } from '#/delivery/lease.ts'
import { newOrder, standingOf, type SagaOrder, type Standing } from '#/domain/order-state.ts'
import { newSaga, type SendOrderFacts } from '#/domain/saga-row.ts'
import { endedSaga, handlingReply, handlingResult, retryingCommand } from '#/saga-telemetry.ts'
import * as restaurantLinks from '#/store/restaurant-links.ts'
import * as sagas from '#/store/sagas.ts'
import type { Db } from '#/store/tables.ts'
import type { Waiters } from '#/waiters.ts'
import { RecentSagas } from './recent-sagas.ts'
import * as life from './transition.ts'

const DUE_AT_ONCE = 50
/** A save is stale only when another replica, or the restaurant, has changed the same order in the same milliseconds. */
const MOST_TRIES = 5
/** Past its deadline a delivery has ended; a saga that still waits for it is logged then. */
const DELIVERY_MARGIN_MS = 60_000

type Needs = {
  db: Db
  bus: Bus
  waiters: Waiters
  log: Log
  defaultLink: RestaurantLink
  deadlines: { sagaMs: number; transmitMs: number }
  /** Begins the delivery whose lease (attempt 1) was acquired at `leasedAt` (`performance.now()`); returns at once. */
  deliver: (order: SagaOrder, link: RestaurantLink, leasedAt: number) => void
}

type Accepting = Pick<sagas.Acceptance, 'applicationId' | 'requestId' | 'idempotency'> & {
  apiKey: string
  order: sagas.Acceptance['priced']
  facts: SendOrderFacts
}
type Cancelling = Omit<Extract<life.Event, { kind: 'cancelled' }>, 'kind' | 'at'>
type Next = life.Transition<SagaOrder, sagas.SagaRow>

const now = (): number => Math.floor(Date.now() / 1000)

/**
 * Runs the sagas: load, transition, save by version, publish, notify. The saga's row is the truth: a command that is
 * published here and lost is republished by the replica that finds the row due.
 */
export class Orchestrator {
  readonly #needs: Needs
  readonly #recent = new RecentSagas<sagas.Loaded>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Accepts an order: commits it with its saga, and begins the first step. Returns the order as committed. */
  async accept({ apiKey, order: priced, facts, requestId, ...more }: Accepting): Promise<SagaOrder> {
    const at = now()
    const order = newOrder(apiKey, priced, at)
    const entered = life.transition(order, { ...newSaga(apiKey, facts), requestId }, { kind: 'accepted', at })
    if (entered === 'stale') throw new Error(`order ${apiKey} cannot be accepted`)
    const { next, link } = await this.#withLink(entered, at)
    const leasedAt = performance.now()
    const saved = { ...more, ...next, ...this.#times(next, true), requestId, priced }
    const accepted = await sagas.accept(this.#needs.db, { ...saved, traceparent: traceparent() })
    const placed = { ...next, order: { ...next.order, ...accepted } }
    await this.#proceed(order, placed, { age: 0, told: false })
    if (link) this.#needs.deliver(placed.order, link, leasedAt)
    return placed.order
  }

  /** A reply to anything but the command that was published last changes nothing. */
  handleReply(reply: SagaAnswer): Promise<void> {
    const { orderApiKey, step, undo, version, outcome } = reply
    return handlingReply(reply, async () => {
      const recent = this.#recent.take(orderApiKey, version)
      const event = { kind: 'replied', at: now(), step, undo, version, outcome } as const
      const applied = await this.#apply(orderApiKey, event, recent)
      if (!applied && outcome.kind === 'refused')
        this.#needs.log.warn({ orderApiKey, step }, 'a saga reply that does not apply was ignored')
    })
  }

  /** What came of the delivery of an order. */
  handleDelivery(orderApiKey: string, result: life.DeliveryResult): Promise<void> {
    return handlingResult(orderApiKey, result.outcome, async () => {
      const recent = this.#recent.take(orderApiKey)
      await this.#apply(orderApiKey, { kind: 'delivered', at: now(), result }, recent)
    })
  }

  /** Cancels an order that its restaurant has. False when it is delivered, cancelled or, for `onlyUnaccepted`, begun. */
  async cancel(orderApiKey: string, cancelling: Cancelling): Promise<boolean> {
    return (await this.#apply(orderApiKey, { kind: 'cancelled', at: now(), ...cancelling }, null)) !== null
  }

  /** Republishes commands whose reply is overdue, and fails what is past its deadline. True when there may be more. */
  async wakeDue(): Promise<boolean> {
    const due = await sagas.takeDue(this.#needs.db, DUE_AT_ONCE)
    await Promise.all(due.map((one) => retryingCommand(one, () => this.#wake(one))))
    return due.length === DUE_AT_ONCE
  }

  async #wake({ order, saga, isExpired }: sagas.DueSaga): Promise<void> {
    const { orderApiKey, attempt } = saga
    const kind = isExpired ? 'expired' : 'retried'
    const next = await this.#apply(orderApiKey, { kind, at: now() }, { order, saga })
    if (isExpired && next?.saga === saga)
      this.#needs.log.error({ orderApiKey, attempt }, 'needs attention: a saga is past its deadline')
  }

  /** Notifies all replicas that an order has changed, and requests here that wait for it; `standing`: where it stands, if known. */
  announce(orderApiKey: string, standing: Standing | null = null): void {
    this.#needs.waiters.wake(orderApiKey, standing)
    this.#needs.bus.nudge(OrderMoved, { orderApiKey })
  }

  /** What was applied; null for an event that does not apply (any more). */
  async #apply(orderApiKey: string, event: life.Event, recent: sagas.Loaded | null): Promise<Next | null> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const cached = tries === 0 ? recent : null
      const loaded = cached ?? (await sagas.load(this.#needs.db, orderApiKey))
      if (!loaded) return null
      const applied = life.transition(loaded.order, loaded.saga, event)
      const next = applied === 'stale' ? null : await this.#save(loaded, applied, event)
      if (next) return next
      // An event that is stale for a cached saga may apply to the version that another replica has saved since.
      if (applied === 'stale' && !cached) return null
    }
    throw overloaded()
  }

  /** Saves, notifies and publishes; null when another replica has saved the saga since it was loaded. */
  async #save(loaded: sagas.Loaded, applied: Next, event: life.Event): Promise<Next | null> {
    if (applied.saga === loaded.saga) return this.#publish(applied)
    const { next, link } = await this.#withLink(applied, event.at)
    const isCancelled = event.kind === 'cancelled'
    const leasedAt = performance.now()
    const result = await sagas.save(this.#needs.db, {
      ...next,
      ...this.#times(next, isCancelled),
      from: { version: loaded.saga.version, status: isCancelled ? loaded.order.status : null },
      status: next.order.status === loaded.order.status ? null : next.order.status,
    })
    if (!result) return null
    await this.#proceed(loaded.order, next, result)
    if (link) this.#needs.deliver(next.order, link, leasedAt)
    return next
  }

  /** `link`: by which the delivery begins after the save; null for a transition that begins none, or ends it at a console. */
  async #withLink(next: Next, at: number): Promise<{ next: Next; link: RestaurantLink | null }> {
    if (next.delivery?.outcome !== null) return { next, link: null }
    const { db, defaultLink } = this.#needs
    const link = (await restaurantLinks.find(db, next.order.restaurantApiKey)) ?? defaultLink
    return link.kind === 'console' ? { next: life.atConsole(next, at) ?? next, link: null } : { next, link }
  }

  #times({ saga, command }: Next, isBegun: boolean): sagas.Times {
    const { sagaMs, transmitMs } = this.#needs.deadlines
    const replyMs = command?.replyTimeoutMs ?? transmitMs + DELIVERY_MARGIN_MS
    const wakeInMs = saga.isFinished ? null : replyMs
    return { wakeInMs, deadlineInMs: isBegun ? sagaMs : null, leaseMs: LEASE_MS, deliverWithinMs: transmitMs }
  }

  /** What follows a commit: whoever waits is notified, and the next command is published. */
  async #proceed(before: SagaOrder, next: Next, { age, told }: sagas.SaveResult): Promise<void> {
    const { order, saga } = next
    if (saga.isFinished) endedSaga(age, saga.state.refusal ? 'failed' : 'completed')
    else this.#recent.keep({ order, saga })
    if (order.outcome !== before.outcome || order.cancellation !== before.cancellation)
      this.announce(order.apiKey, standingOf(order, { told, refusal: saga.state.refusal }))
    await this.#publish(next)
  }

  async #publish(next: Next): Promise<Next> {
    if (!next.command) return next
    const { command, data, gatherMs } = next.command
    try {
      await this.#needs.bus.publish(command, data, {
        requestId: next.saga.requestId,
        ...(gatherMs > 0 && { gatherMs }),
      })
    } catch (error) {
      // Not lost: the row is due when the reply is.
      this.#needs.log.warn(
        { orderApiKey: data.orderApiKey, command: command.name, err: error },
        'a command was not published',
      )
    }
    return next
  }
}
