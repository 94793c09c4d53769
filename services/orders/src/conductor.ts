import type { Bus } from '@platter/bus'
import {
  cents,
  OrderMoved,
  toMoney,
  type Cancellation,
  type Refusal,
  type SagaAnswer,
} from '@platter/contracts'
import { traceparent, type Log } from '@platter/kit'
import type { PlacedOrder } from '#/domain/order.ts'
import { fresh, type Change, type SendOrderFacts, type State } from '#/domain/saga-row.ts'
import { givenUp, heard, next, type Next } from '#/saga/engine.ts'
import { sendOrderSaga } from '#/saga/send-order.saga.ts'
import { sagaEnded, sayingAgain, takingAnswer } from '#/saga-telemetry.ts'
import type { Standing } from '#/store/orders.ts'
import * as restaurantOrders from '#/store/restaurant-orders.ts'
import * as sagas from '#/store/sagas.ts'
import type { Db } from '#/store/tables.ts'
import type { Waiters } from '#/waiters.ts'

/**
 * The commit that says a transmission holds it for whoever will read that, no longer than until it is said again
 * (2 s): should it be lost on the way, the next one may make it at once.
 */
const FIRST_HOLD_MS = 2_000

const DUE_AT_ONCE = 50

type Needs = {
  db: Db
  bus: Bus
  waiters: Waiters
  log: Log
  deadlines: { sagaMs: number; transmitMs: number }
}

type Cancelling = {
  refusal: Refusal
  cancelledBy: Cancellation['cancelledBy']
  requestId: string
  /** Not if the restaurant has begun with it. */
  onlyUntaken?: boolean
}

/**
 * Runs the sagas: commits what was decided, then says what comes next. The saga's row is the truth: what is
 * said here and lost is said again by whoever finds the row due.
 */
export class Conductor {
  readonly #needs: Needs
  readonly #committed = new Committed()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Accepts an order: commits it with its saga, and says the first command. Resolves with the order once it is committed. */
  async accept(
    accepted: Pick<
      sagas.Acceptance,
      'apiKey' | 'applicationId' | 'order' | 'facts' | 'requestId' | 'idempotency'
    >,
  ): Promise<PlacedOrder> {
    const { db, deadlines } = this.#needs
    const first = next(sendOrderSaga, accepted.facts, fresh)
    if (first.kind !== 'do') throw new Error('the saga has no step to begin with')
    const placed = await sagas.accept(db, {
      ...accepted,
      traceparent: traceparent(),
      state: fresh,
      wakeInMs: first.patienceMs,
      deadlineMs: deadlines.sagaMs,
      delivery: this.#deliveryOf(first),
    })
    const { apiKey, facts, requestId } = accepted
    const row = { orderApiKey: apiKey, version: 0, attempt: 1, facts, state: fresh, requestId }
    this.#committed.keep(row)
    // RabbitMQ that is slow to confirm must not delay the answer of an order that is committed.
    void this.#say(row, first)
    return placed
  }

  /** What a participant answered. An answer to anything but what was said last changes nothing. */
  answered(answer: SagaAnswer, delivered: sagas.Delivered | null = null): Promise<void> {
    return takingAnswer(answer, () => this.#answered(answer, delivered))
  }

  async #answered(answer: SagaAnswer, delivered: sagas.Delivered | null): Promise<void> {
    const row = this.#committed.take(answer) ?? (await sagas.find(this.#needs.db, answer.orderApiKey))
    if (!row || row.version !== answer.version) return
    const result = heard(sendOrderSaga, row.facts, row.state, answer)
    if (result) await this.#move(row, result, delivered)
    else
      this.#needs.log.warn(
        { orderApiKey: answer.orderApiKey, step: answer.step },
        'a saga was answered what it cannot take',
      )
  }

  /**
   * Cancels an order that its restaurant has. False when it is delivered or cancelled already, or taken. The money
   * follows by itself: the saga goes back from wherever it stands.
   */
  async cancel(
    orderApiKey: string,
    { refusal, cancelledBy, requestId, onlyUntaken = false }: Cancelling,
  ): Promise<boolean> {
    const { db, deadlines } = this.#needs
    const facts = await sagas.factsOf(db, orderApiKey)
    if (!facts) return false
    const cancellation = { ...cancellationOf(facts, refusal), cancelledBy }
    const row = await restaurantOrders.cancel(db, orderApiKey, {
      refusal,
      cancellation,
      deadlineMs: deadlines.sagaMs,
      onlyUntaken,
    })
    if (!row) return false
    const coming = next(sendOrderSaga, row.facts, row.state)
    if (coming.kind === 'failed') await this.#move(row, { state: row.state, change: {} }, null)
    else await this.#say({ ...row, requestId }, coming)
    this.announce(orderApiKey)
    return true
  }

  /** Says again what was not answered in time, and gives up what is past its deadline. True when there may be more. */
  async wakeDue(): Promise<boolean> {
    const due = await sagas.takeDue(this.#needs.db, DUE_AT_ONCE)
    await Promise.all(due.map((row) => sayingAgain(row, () => this.#wake(row))))
    return due.length === DUE_AT_ONCE
  }

  async #wake(row: sagas.DueSaga): Promise<void> {
    const state = row.overdue ? givenUp(sendOrderSaga, row.facts, row.state, tooLate) : null
    if (state) return this.#move(row, { state, change: {} }, null)
    const coming = next(sendOrderSaga, row.facts, row.state)
    // It was cancelled with nothing to give back, by one who died before the saga was ended.
    if (!('step' in coming)) return this.#move(row, { state: row.state, change: {} }, null)
    if (row.overdue) {
      const { orderApiKey, attempt } = row
      this.#needs.log.error(
        { orderApiKey, step: coming.step.name, attempt },
        'needs attention: a saga is past its deadline',
      )
    }
    return this.#say(row, coming)
  }

  async #move(
    row: sagas.SagaRow,
    { state, change }: { state: State; change: Change },
    delivered: sagas.Delivered | null,
  ): Promise<void> {
    const coming = next(sendOrderSaga, row.facts, state)
    const moved = await sagas.move(this.#needs.db, row, {
      state,
      change,
      wakeInMs: 'patienceMs' in coming ? coming.patienceMs : null,
      delivery: this.#deliveryOf(coming),
      delivered,
      failure:
        coming.kind === 'failed'
          ? { refusal: coming.refusal, cancellation: cancellationOf(row.facts, coming.refusal) }
          : null,
    })
    if (!moved) return
    if (!('say' in coming)) sagaEnded(moved.age, coming.kind)
    if (moved.standing) this.announce(row.orderApiKey, moved.standing)
    const now = { ...row, version: row.version + 1, attempt: 1, state }
    if ('say' in coming) this.#committed.keep(now)
    await this.#say(now, coming)
  }

  /**
   * Says that an order has moved. Who waits for it here is woken at once, and told where it stands when that is known; the
   * nudge is for all replicas, those where it is followed as well (0.02 ms of CPU, said and heard; to know who follows where
   * would cost more than saying it to all).
   */
  announce(orderApiKey: string, standing: Standing | null = null): void {
    this.#needs.waiters.wake(orderApiKey, standing)
    this.#needs.bus.nudge(OrderMoved, { orderApiKey })
  }

  async #say(
    { orderApiKey, version, attempt, requestId }: sagas.SagaRow,
    coming: Next<SendOrderFacts>,
  ): Promise<void> {
    if (!('say' in coming)) return
    const { command, data } = coming.say
    const ref = { orderApiKey, step: coming.step.name, undo: coming.kind === 'undo', version, attempt }
    try {
      await this.#needs.bus.publish(command, { ...data, ...ref }, { requestId })
    } catch (error) {
      // Not lost: the row says it again when it wakes.
      this.#needs.log.warn({ orderApiKey, command: command.name, err: error }, 'a command was not confirmed')
    }
  }

  #deliveryOf(coming: Next<SendOrderFacts>): sagas.NewDelivery | null {
    if (!('step' in coming) || coming.step.kind !== 'pivot') return null
    return { busyMs: FIRST_HOLD_MS, deadlineMs: this.#needs.deadlines.transmitMs }
  }
}

/** Sagas that are answered later than this many others are read again. */
const MOST_COMMITTED = 5_000

/**
 * The rows that this replica has committed last, so that an answer that comes back to it needs no read. A row that
 * somebody else has moved meanwhile does no harm: the next commit finds another version, and changes nothing.
 */
class Committed {
  readonly #rows = new Map<string, sagas.SagaRow>()

  keep(row: sagas.SagaRow): void {
    this.#rows.set(row.orderApiKey, row)
    if (this.#rows.size <= MOST_COMMITTED) return
    for (const oldest of this.#rows.keys()) {
      this.#rows.delete(oldest)
      return
    }
  }

  /** The row that the answer is to, once. */
  take({ orderApiKey, version }: SagaAnswer): sagas.SagaRow | null {
    const row = this.#rows.get(orderApiKey)
    this.#rows.delete(orderApiKey)
    return row?.version === version ? row : null
  }
}

const tooLate: Refusal = {
  code: 'payment-unavailable',
  detail: 'The payment could not be settled in time. Your card was not charged.',
}

function cancellationOf({ total, token }: SendOrderFacts, { code, detail }: Refusal): Cancellation {
  return {
    reason: code,
    message: detail,
    cancelledBy: code === 'order-refused' ? 'restaurant' : 'system',
    date: Math.floor(Date.now() / 1000),
    refund: { amount: toMoney(token === null ? cents(0) : total), state: 'VOIDED' },
  }
}
