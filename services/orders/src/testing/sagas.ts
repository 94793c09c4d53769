import { cents, type Outcome, type Refusal } from '@platter/contracts'
import { newOrder, type DeliveryOutcome, type SagaOrder } from '#/domain/order-state.ts'
import { newSaga, type Saga, type SendOrderFacts } from '#/domain/saga-row.ts'
import { awaitedStep } from '#/saga/domain/awaited-step.ts'
import { transition, type Event, type Transition } from '#/saga/domain/transition.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

/* Sagas in every state, for the tests of the transition. */

export const at = 1_790_000_000
export const cash: SendOrderFacts = {
  total: cents(1_999),
  token: null,
  userApiKey: null,
  newCard: null,
  newAddress: null,
}
const newCard = { apiKey: 'c1', token: 'tok_1' } as SendOrderFacts['newCard']
/** An order with every step: it is charged, and its card is saved. */
export const card: SendOrderFacts = { ...cash, token: 'tok_1', userApiKey: 'u1', newCard }

export const refusal = (code: Refusal['code']): Refusal => ({ code, detail: 'because' })
export const done: Outcome = { kind: 'done' }
export const declined: Outcome = { kind: 'refused', refusal: refusal('card-declined') }

export type Now = { order: SagaOrder; saga: Saga }
export type Next = Transition

const unplaced = (facts: SendOrderFacts): Now => {
  const payment = facts.token === null ? 'cash' : 'card'
  return {
    order: newOrder('o1', pricedOrder({ payment, total: facts.total }), at),
    saga: newSaga({ orderApiKey: 'o1', requestId: 'q1', facts }),
  }
}

export function apply({ order, saga }: Now, event: Event): Next {
  const next = transition(order, saga, event)
  if (next === 'stale') throw new Error(`${event.kind} does not apply`)
  return next
}

/** A reply to the awaited command. */
export function reply({ saga }: Now, outcome: Outcome): Event {
  const awaited = awaitedStep(saga)
  if (!awaited) throw new Error('no reply is awaited')
  const { step, isCompensation } = awaited
  return { kind: 'replied', at, step: step.name, isCompensation, version: saga.version, outcome }
}
export const delivered = (outcome: DeliveryOutcome): Event => ({
  kind: 'delivered',
  at,
  result: outcome === 'unreachable' ? { outcome } : { outcome, link: 'webhook', reason: 'too busy' },
})
export const cancelled = (more: Partial<Extract<Event, { kind: 'cancelled' }>> = {}): Event => ({
  kind: 'cancelled',
  at,
  by: 'restaurant',
  refusal: refusal('order-refused'),
  onlyUnstarted: false,
  ...more,
})

export const placed = (facts: SendOrderFacts) => apply(unplaced(facts), { kind: 'placed', at })
const withStatus = (now: Now, status: SagaOrder['status']): Now => ({
  ...now,
  order: { ...now.order, status },
})

/** All states, by name. */
export function states(): Record<string, Now> {
  const authorize = placed(card)
  const transmit = apply(authorize, reply(authorize, done))
  const capture = apply(transmit, delivered('accepted'))
  const save = apply(capture, reply(capture, done))
  const completed = apply(save, reply(save, done))
  const paid = { ...done, paymentState: 'REFUNDED' } as const
  const refunding = apply(completed, cancelled())
  const voiding = apply(transmit, delivered('refused'))
  const transmitCash = placed(cash)
  const completedCash = apply(transmitCash, delivered('accepted'))
  return {
    authorize,
    transmit,
    capture,
    save,
    completed,
    'completed, begun': withStatus(completed, 'PREPARING'),
    'completed, delivered': withStatus(completed, 'DELIVERED'),
    'compensate, refused': voiding,
    'compensate, unreachable': apply(transmit, delivered('unreachable')),
    'compensate, expired': apply(authorize, { kind: 'expired', at }),
    'compensate, cancelled': refunding,
    'failed, declined': apply(authorize, reply(authorize, declined)),
    'failed, refused': apply(voiding, reply(voiding, done)),
    'failed, refunded': apply(refunding, reply(refunding, paid)),
    'transmit, cash': transmitCash,
    'completed, cash': completedCash,
    'failed, cash': apply(completedCash, cancelled()),
  }
}
