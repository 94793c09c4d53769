import { epochSeconds } from '@platter/contracts'
import type { Bus } from '@platter/bus'
import { Cache, overloaded, traceparent, type Log } from '@platter/kit'
import { LEASE_MS, resultOf, type SagaOrder } from '#/domain/order-state.ts'
import { endedSaga } from '#/saga/telemetry.ts'
import type * as sagas from '#/store/sagas.ts'
import type { Stores } from '#/store/stores.ts'
import type { OrderNotifier } from '#/saga/order-notifier.ts'
import { challengeTimes } from '#/saga/domain/challenging.ts'
import { transition, type Event, type Transition, type Trigger } from '#/saga/domain/transition.ts'

/** A save is stale only if another replica, or the restaurant, has changed the same order within milliseconds. */
const MAX_ATTEMPTS = 5
/** A delivery ends at its deadline. If a saga still waits for it after this time, it is logged. */
const DELIVERY_MARGIN_MS = 60_000
/** A saga is evicted after this many later saves, and loaded again for its reply. */
const MAX_RECENT_SAGAS = 2_000

type Deps = Pick<Stores, 'sagas'> & {
  bus: Pick<Bus, 'publish'>
  notifier: Pick<OrderNotifier, 'publish'>
  log: Log
  deadlines: { sagaMs: number; transmitMs: number }
  openDelivery: OpenDelivery
}

/** An order and its saga before the transition `placed`, and the data that is stored with them. */
export type NewOrder = sagas.Loaded & Pick<sagas.Placement, 'applicationId' | 'idempotency'>
type Opened = { next: Transition; begin: (committed: SagaOrder) => void }

/** Prepares the delivery that a transition at `at` (epoch seconds) opens: `Deliverer.open`. `begin` begins it after the commit. */
export type OpenDelivery = (opening: Transition, at: number) => Promise<Opened>

/**
 * Runs the sagas: load, transition, save by version, publish, notify. The saga's row is the state: if a command is lost, a replica
 * that finds the row due republishes it (`retry-sagas.ts`).
 */
export class Orchestrator {
  readonly #deps: Deps
  /** A reply to one of these sagas needs no read. An outdated one is harmless, because a save applies only to its own version. */
  readonly #recent = new Cache<sagas.Loaded>({ maxEntries: MAX_RECENT_SAGAS })

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Places an order: commits it with its saga, and begins the first step. Returns the order as committed. */
  async place({ order, saga, ...stored }: NewOrder): Promise<SagaOrder> {
    const event = { kind: 'placed', at: order.datePlaced } as const
    const entered = transition(order, saga, event)
    if (entered === 'stale') throw new Error(`order ${order.apiKey} cannot be placed`)
    const { next, begin } = await this.#deps.openDelivery(entered, event.at)
    const saved = { ...stored, ...next, ...this.#times(next, event), traceparent: traceparent() }
    const assigned = await this.#deps.sagas.place(saved)
    const placed = { ...next, order: { ...next.order, ...assigned } }
    return (await this.#proceed(order, { next: placed, begin }, { age: 0, isReturned: false })).order
  }

  /** Applies an event to an order, starting from `recent`. Returns null for a stale event. */
  async apply(
    orderApiKey: string,
    trigger: Trigger,
    recent: sagas.Loaded | null = this.#recent.take(orderApiKey) ?? null,
  ): Promise<Transition | null> {
    const event = { ...trigger, at: epochSeconds() }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const cached = attempt === 0 ? recent : null
      const loaded = cached ?? (await this.#deps.sagas.load(orderApiKey))
      if (!loaded) return null
      const applied = transition(loaded.order, loaded.saga, event)
      const next = applied === 'stale' ? null : await this.#save(loaded, applied, event)
      if (next) return next
      // An event that is stale for a cached saga may apply to a version that another replica has saved since.
      if (applied === 'stale' && !cached) return null
    }
    throw overloaded()
  }

  /** Saves, notifies and publishes. Returns null if another replica has saved the saga since it was loaded. */
  async #save({ order, saga }: sagas.Loaded, applied: Transition, event: Event): Promise<Transition | null> {
    if (applied.saga === saga) return this.#publish(applied)
    const { next, begin } = await this.#deps.openDelivery(applied, event.at)
    const result = await this.#deps.sagas.save({
      ...next,
      ...this.#times(next, event),
      from: { version: saga.version, status: event.kind === 'cancelled' ? order.status : null },
      status: next.order.status === order.status ? null : next.order.status,
    })
    return result && this.#proceed(order, { next, begin }, result)
  }

  #times({ order, saga, command, delivery }: Transition, event: Event): sagas.Times {
    const { sagaMs, transmitMs } = this.#deps.deadlines
    const replyMs = command?.replyTimeoutMs ?? transmitMs + DELIVERY_MARGIN_MS
    const startsDeadline =
      'challenge' in event || ['placed', 'cancelled', 'refund-requested'].includes(event.kind)
    // A delivery has its own deadline. After a slow authorization the saga would be an incident before it.
    const deliveryMs = delivery?.outcome === null ? Math.max(sagaMs, replyMs) : null
    const times = {
      retryInMs: saga.isFinished ? null : replyMs,
      deadlineInMs: deliveryMs ?? (startsDeadline ? sagaMs : null),
      ...challengeTimes(order),
    }
    return { ...times, leaseMs: LEASE_MS, deliverWithinMs: transmitMs }
  }

  /** After a commit: notifies the pending requests of the order, and begins its delivery or publishes the next command. */
  async #proceed(
    before: SagaOrder,
    { next, begin }: Opened,
    { age, isReturned }: sagas.SaveResult,
  ): Promise<Transition> {
    const { order, saga } = next
    if (!saga.isFinished) this.#recent.set(order.apiKey, { order, saga })
    // A saga that a refund or dispute reopened is excluded, because its age is not the duration of an order.
    else if (order.refunds.length === 0 && !order.dispute)
      endedSaga(age, saga.state.refusal ? 'failed' : 'completed')
    const result = resultOf({ ...order, isReturned }, saga.state.refusal)
    const shown = ['outcome', 'cancellation', 'refunds', 'paymentAction', 'dispute'] as const
    if (shown.some((field) => (order[field] ?? null) !== (before[field] ?? null)))
      this.#deps.notifier.publish(order, result)
    begin(order)
    return this.#publish(next)
  }

  async #publish(next: Transition): Promise<Transition> {
    if (!next.command) return next
    const { orderApiKey, requestId } = next.saga
    const { command, data, batchDelayMs } = next.command
    const published = this.#deps.bus
      .publish(command, data, { requestId, batchDelayMs })
      .catch((err: unknown) => {
        const line = { orderApiKey, command: command.name, err }
        this.#deps.log.warn(line, 'a command was not published; the sweeper republishes it')
      })
    // A replica handles 16 replies at the same time. If each waited 100 ms for its capture, it would place only 150 card orders a second.
    if (batchDelayMs === 0) await published
    return next
  }
}
