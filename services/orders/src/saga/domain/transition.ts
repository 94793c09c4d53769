import type { Cancellation, Outcome, Refusal } from '@platter/contracts'
import type { DeliveryResult, DeliveryState, SagaOrder } from '#/domain/order-state.ts'
import { releasedOf } from '#/domain/refund.ts'
import type { Saga, State } from '#/domain/saga-row.ts'
import {
  cancellationOf,
  fail,
  mayBeCancelled,
  noticeOf,
  noticeOfCancellation,
  refusalOf,
  UNREACHABLE,
} from '#/saga/domain/failure.ts'
import { recordChallenge, refusalOfExpiry } from '#/saga/domain/challenging.ts'
import {
  endRefund,
  requestRefund,
  setMirrored,
  type AfterSale,
  type Mirrored,
  type RequestedRefund,
} from '#/saga/domain/refunding.ts'
import { awaitedStep, publicationOf, type Publication } from '#/saga/domain/awaited-step.ts'

/*
 * The states of an order. A state is the step whose result is awaited; (cash) is any order that is not charged.
 *
 *     placed ────→ authorize ──done──→ transmit ──accepted──→ capture ──done──→ save ──done──→ completed
 *         └─────────────(cash)──────────↑  │                     │                │                │
 *                          │               │                     │                │                │
 *                          │ refused       │ refused             └───────cancelled┴─(reopened)─────┘
 *                          │ (nothing is   │ unreachable                          │
 *                          │  authorized)  ↓                                      ↓
 *                          │   compensate authorize ←─────────────────────────────┘
 *          expired: ───────┼────────↑      │ done: VOIDED or REFUNDED
 *                          ↓               ↓
 *                        failed ←──────────┘←── immediately, if no step was completed (cash)
 *
 * outcome        pending until the restaurant has accepted (transmitted) or the saga has failed (failed). A failed order is
 *                hidden unless a client read it while it was pending (`isVisible`); a cancelled order stays transmitted.
 * status         PROCESSING, then AWAITING_PREPARATION once the restaurant has accepted; later statuses are reported by it.
 * payment state  PENDING → AUTHORIZED → CHARGED; after the compensation VOIDED or REFUNDED, by the reply of payments;
 *                REFUNDED when refunds have returned the whole total.
 * cancellation   set by `cancelled` immediately, or at the end of a failure. Later, only failed refunds increase its refund.
 * refunds        each reopens a completed saga, which ends again with its result. Only the payment state changes too, at the end.
 * challenge      the bank awaits the customer, in the state authorize; its command is then a poll (challenging.ts).
 * delivery       opened with the step transmit, ended by its result; an unreachable restaurant is notified of the failure.
 */

/** `at`: epoch seconds. */
export type Event = Trigger & { at: number }

export type Trigger =
  | { kind: 'placed' }
  /** A participant's reply to the command of `step`, or to the command of its compensation. */
  | {
      kind: 'replied'
      step: string
      isCompensation: boolean
      version: number
      outcome: Outcome
      /** For the step `refund`: the refund. */
      refund?: string
      /** The reply ends a challenge. `recheck`: why the order can no longer be transmitted. */
      challenge?: { recheck: Refusal | null }
    }
  | { kind: 'delivered'; result: DeliveryResult }
  | {
      kind: 'cancelled'
      by: Cancellation['cancelledBy']
      refusal: Refusal
      /** Applies only while the restaurant has not started the order. */
      onlyUnstarted: boolean
      /** Epoch seconds; a later cancellation is stale. */
      until?: number
    }
  /** A refund was requested. */
  | ({ kind: 'refund-requested' } & RequestedRefund)
  /** Refunds and a dispute at the processor that Platter did not request. */
  | ({ kind: 'mirrored' } & Mirrored)
  /** The deadline of the saga has passed. */
  | { kind: 'expired' }
  /** The awaited command is published again: its reply is overdue, or the processor has reported an event about the order. */
  | { kind: 'retried' }

/** `saga` is the same object if nothing must be saved. `delivery`: null leaves it unchanged. */
export type Transition = {
  order: SagaOrder
  saga: Saga
  delivery: DeliveryState | null
  /** Published after the save; null during a delivery, and at the end. */
  command: Publication | null
}

type Of<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>
type Result = Transition | 'stale'

/**
 * Returns the order, its saga and its delivery after an event, and the next command. Returns `stale` for an event that does not
 * apply to this state: a late or repeated reply, a cancellation of a delivered order.
 */
export function transition(order: SagaOrder, saga: Saga, event: Event): Result {
  switch (event.kind) {
    case 'placed':
      return enter(order, saga, event.at)
    case 'replied':
      return reply(order, saga, event)
    case 'delivered':
      return deliver(order, saga, event)
    case 'cancelled':
      return cancel(order, saga, event)
    case 'refund-requested':
      return changeAfterSale(saga, requestRefund(order, saga, event), event.at)
    case 'mirrored':
      return changeAfterSale(saga, setMirrored(order, saga, event), event.at)
    case 'expired':
      return expire(order, saga, event.at)
    case 'retried':
      return retry(order, saga)
  }
}

/** Enters the next state: its command, its delivery, or the end of the saga. */
function enter(order: SagaOrder, saga: Saga, at: number): Transition {
  const awaited = awaitedStep(saga)
  if (awaited) {
    const delivery = awaited.step.kind === 'pivot' ? OPEN_DELIVERY : null
    return { order, saga, delivery, command: publicationOf(saga, awaited) }
  }
  const ended = { ...saga, isFinished: true }
  // A saga that has ended before has already sent its notice.
  if (!saga.state.refusal || saga.isFinished) return { order, saga: ended, delivery: null, command: null }
  return { order: fail(order, saga, at), saga: ended, delivery: noticeOf(saga.state), command: null }
}

/** The payment action ends, because it exists only while the bank awaits the customer. */
const advance = (order: SagaOrder, saga: Saga, { state, at }: { state: State; at: number }) =>
  enter({ ...order, paymentAction: null }, { ...saga, version: saga.version + 1, attempt: 1, state }, at)

const OPEN_DELIVERY: DeliveryState = { outcome: null, link: null, noticeInMs: null }

function reply(order: SagaOrder, saga: Saga, event: Of<'replied'>): Result {
  if (event.refund !== undefined) {
    const { refund: apiKey, outcome, at } = event
    return changeAfterSale(saga, endRefund(order, saga, { apiKey, isDone: outcome.kind === 'done', at }), at)
  }
  const step = awaitedBy(saga, event)
  if (!step) return 'stale'
  const { isCompensation, outcome, at } = event
  if (outcome.kind === 'authenticate')
    return recordChallenge(order, saga, { ...event, ...outcome }) ?? 'stale'
  const { state } = saga
  if (outcome.kind === 'done') {
    const paymentState = (isCompensation ? outcome : step).paymentState ?? order.paymentState
    return advance({ ...order, paymentState }, saga, { state: completed(state, event), at })
  }
  // Compensations and steps after the pivot are republished until they succeed.
  if (isCompensation || step.kind === 'retriable') return 'stale'
  return advance(order, saga, { state: { ...state, refusal: outcome.refusal }, at })
}

/** Returns the state after a step, or after its compensation. */
const completed = (state: State, { step, isCompensation, challenge }: Of<'replied'>): State =>
  isCompensation
    ? { ...state, undone: [...state.undone, step] }
    : { ...state, done: [...state.done, step], refusal: challenge?.recheck ?? state.refusal }

/** Returns the step of the reply; null unless that reply is awaited. */
function awaitedBy(saga: Saga, { step, isCompensation, version }: Of<'replied'>) {
  const awaited = saga.isFinished || version !== saga.version ? null : awaitedStep(saga)
  if (awaited?.step.name !== step || awaited.isCompensation !== isCompensation) return null
  return awaited.step.kind === 'pivot' || awaited.step.kind === 'refund' ? null : awaited.step
}

function deliver(order: SagaOrder, saga: Saga, event: Of<'delivered'>): Result {
  const { result, at } = event
  const awaited = saga.isFinished ? null : awaitedStep(saga)
  if (awaited?.step.kind !== 'pivot') return 'stale'
  const { state } = saga
  const { outcome } = result
  const ended: DeliveryState =
    outcome === 'unreachable' ? UNREACHABLE : { outcome, link: result.link, noticeInMs: null }
  const next =
    result.outcome === 'accepted'
      ? advance({ ...order, status: 'AWAITING_PREPARATION', outcome: 'transmitted' }, saga, {
          state: { ...state, done: [...state.done, awaited.step.name] },
          at,
        })
      : advance(order, saga, { state: { ...state, refusal: refusalOf(result) }, at })
  return { ...next, delivery: next.delivery ?? ended }
}

/**
 * Reopens the saga, finished or not, to void the authorization or refund the capture. The awaited step of a pending order is
 * compensated too, because its command may have been executed.
 */
function cancel(order: SagaOrder, saga: Saga, event: Of<'cancelled'>): Result {
  const { by, refusal, at } = event
  if (!mayBeCancelled(order, saga.state, event)) return 'stale'
  const { state, facts } = saga
  const step = awaitedStep(saga)?.step
  const done = step?.kind === 'compensatable' ? [...state.done, step.name] : state.done
  const total = releasedOf(order, facts.total)
  const cancellation = { ...cancellationOf({ ...facts, total }, refusal, at), cancelledBy: by }
  const next = advance(
    { ...order, cancellation },
    { ...saga, isFinished: false },
    { state: { ...state, done, refusal }, at },
  )
  return { ...next, delivery: noticeOfCancellation(by, step?.kind === 'pivot', state) }
}

/** Applies a change of the payment after the capture. A pending refund reopens the saga. */
function changeAfterSale(saga: Saga, changed: AfterSale | null, at: number): Result {
  if (!changed) return 'stale'
  const { order, state } = changed
  const isFinished = saga.isFinished && !state.refunds?.length
  return advance(order, { ...saga, isFinished }, { state, at })
}

/**
 * Before the pivot the saga fails, and the awaited step is compensated, because its command may have been executed. From the pivot
 * on, the command is republished.
 */
function expire(order: SagaOrder, saga: Saga, at: number): Result {
  const awaited = saga.isFinished ? null : awaitedStep(saga)
  if (awaited?.step.kind !== 'compensatable' || awaited.isCompensation) return retry(order, saga)
  const done = [...saga.state.done, awaited.step.name]
  return advance(order, saga, { state: { ...saga.state, done, refusal: refusalOfExpiry(saga.state) }, at })
}

function retry(order: SagaOrder, saga: Saga): Result {
  const awaited = saga.isFinished ? null : awaitedStep(saga)
  return awaited ? { order, saga, delivery: null, command: publicationOf(saga, awaited) } : 'stale'
}
