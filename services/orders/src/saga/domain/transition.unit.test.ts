import type { Outcome } from '@platter/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Saga, type SendOrderFacts } from '#/domain/saga-row.ts'
import { sendOrderSteps } from '#/saga/domain/steps.ts'
import { awaitedStep } from '#/saga/domain/awaited-step.ts'
import { transition, type Event } from '#/saga/domain/transition.ts'
import {
  at,
  cash,
  card,
  refusal,
  done,
  declined,
  apply,
  reply,
  delivered,
  cancelled,
  placed,
  states,
  type Now,
  type Next,
} from '#/testing/sagas.ts'

/** The reply to a release has the payment state. */
const doneBy = ({ order, saga }: Now): Outcome =>
  awaitedStep(saga)?.isCompensation
    ? { kind: 'done', paymentState: order.paymentState === 'CHARGED' ? 'REFUNDED' : 'VOIDED' }
    : done

const events: Record<string, (now: Now) => Event> = {
  done: (now) => (awaitedStep(now.saga) ? reply(now, doneBy(now)) : reply(placed(card), done)),
  refused: (now) => (awaitedStep(now.saga) ? reply(now, declined) : reply(placed(card), declined)),
  'late reply': (now) => {
    const one = events['done']!(now)
    return { ...one, version: now.saga.version - 1 } as Event
  },
  'delivered: accepted': () => delivered('accepted'),
  'delivered: refused': () => delivered('refused'),
  'delivered: unreachable': () => delivered('unreachable'),
  cancelled: () => cancelled(),
  'cancelled if unstarted': () => cancelled({ by: 'system', onlyUnstarted: true }),
  'cancelled by the customer': () => cancelled({ by: 'customer', onlyUnstarted: true, until: at }),
  'cancelled too late': () => cancelled({ by: 'customer', onlyUnstarted: true, until: at - 1 }),
  'cancelled by the operator': () => cancelled({ by: 'operator' }),
  expired: () => ({ kind: 'expired', at }),
  retried: () => ({ kind: 'retried', at }),
}

const nameOf = (step: string, isCompensation: boolean) => `${isCompensation ? 'compensate ' : ''}${step}`

function stepOf(saga: Saga): string {
  const awaited = awaitedStep(saga)
  if (awaited) return nameOf(awaited.step.name, awaited.isCompensation)
  return saga.state.refusal ? 'FAILED' : 'COMPLETED'
}

function deliveryOf({ delivery }: Next): string {
  if (!delivery) return ''
  return `, delivery ${delivery.outcome ?? 'open'}${delivery.noticeInMs === null ? '' : `, notice in ${delivery.noticeInMs / 1_000} s`}`
}

/** One line: the next step, the order after the event, and its delivery. `unchanged`: the saga stays at its step. */
function describeTransition(next: Next, before: Now): string {
  const { order, saga, command } = next
  if (saga === before.saga)
    return `unchanged: ${command ? nameOf(command.data.step, command.data.undo) : stepOf(saga)}`
  const { outcome, status, paymentState, cancellation } = order
  const by = cancellation ? ` (${cancellation.cancelledBy}: ${cancellation.reason})` : ''
  return `${stepOf(saga)}: ${outcome} ${status} ${paymentState}${by}${deliveryOf(next)}`
}

describe('every event in every state', () => {
  const table = Object.entries(states()).map(([name, now]) => {
    const row = Object.entries(events).flatMap(([event, create]) => {
      const next = transition(now.order, now.saga, create(now))
      return next === 'stale' ? [] : [[event, describeTransition(next, now)] as const]
    })
    return [name, Object.fromEntries(row)] as const
  })

  test.each(table)(
    '%s: the listed events lead to the listed states, and any other event is stale',
    (name, row) => {
      expect(row).toEqual(EXPECTED[name])
    },
  )

  test('EXPECTED has a row for each state, and each step is awaited in one', () => {
    const all = states()
    expect(Object.keys(EXPECTED)).toEqual(Object.keys(all))
    const awaited = Object.values(all).map(({ saga }) => awaitedStep(saga)?.step.name)
    expect(awaited).toEqual(expect.arrayContaining(sendOrderSteps.map(({ name }) => name)))
  })
})

/** Next step: outcome, status, payment state (cancelled by: reason), delivery. */
const EXPECTED: Record<string, Record<string, string>> = {
  authorize: {
    done: 'transmit: pending PROCESSING AUTHORIZED, delivery open',
    refused: 'FAILED: failed PROCESSING VOIDED (system: card-declined)',
    'cancelled by the customer': 'compensate authorize: pending PROCESSING PENDING (customer: order-refused)',
    'cancelled by the operator': 'compensate authorize: pending PROCESSING PENDING (operator: order-refused)',
    expired: 'compensate authorize: pending PROCESSING PENDING',
    retried: 'unchanged: authorize',
  },
  transmit: {
    'delivered: accepted': 'capture: transmitted AWAITING_PREPARATION AUTHORIZED, delivery accepted',
    'delivered: refused': 'compensate authorize: pending PROCESSING AUTHORIZED, delivery refused',
    'delivered: unreachable':
      'compensate authorize: pending PROCESSING AUTHORIZED, delivery unreachable, notice in 15 s',
    'cancelled by the customer':
      'compensate authorize: pending PROCESSING AUTHORIZED (customer: order-refused), delivery unreachable, notice in 15 s',
    'cancelled by the operator':
      'compensate authorize: pending PROCESSING AUTHORIZED (operator: order-refused), delivery unreachable, notice in 15 s',
    expired: 'unchanged: transmit',
    retried: 'unchanged: transmit',
  },
  capture: {
    done: 'save: transmitted AWAITING_PREPARATION CHARGED',
    cancelled:
      'compensate authorize: transmitted AWAITING_PREPARATION AUTHORIZED (restaurant: order-refused)',
    'cancelled if unstarted':
      'compensate authorize: transmitted AWAITING_PREPARATION AUTHORIZED (system: order-refused)',
    'cancelled by the customer':
      'compensate authorize: transmitted AWAITING_PREPARATION AUTHORIZED (customer: order-refused), delivery accepted, notice in 0 s',
    'cancelled by the operator':
      'compensate authorize: transmitted AWAITING_PREPARATION AUTHORIZED (operator: order-refused), delivery accepted, notice in 0 s',
    expired: 'unchanged: capture',
    retried: 'unchanged: capture',
  },
  save: {
    done: 'COMPLETED: transmitted AWAITING_PREPARATION CHARGED',
    cancelled: 'compensate authorize: transmitted AWAITING_PREPARATION CHARGED (restaurant: order-refused)',
    'cancelled if unstarted':
      'compensate authorize: transmitted AWAITING_PREPARATION CHARGED (system: order-refused)',
    'cancelled by the customer':
      'compensate authorize: transmitted AWAITING_PREPARATION CHARGED (customer: order-refused), delivery accepted, notice in 0 s',
    'cancelled by the operator':
      'compensate authorize: transmitted AWAITING_PREPARATION CHARGED (operator: order-refused), delivery accepted, notice in 0 s',
    expired: 'unchanged: save',
    retried: 'unchanged: save',
  },
  completed: {
    cancelled: 'compensate authorize: transmitted AWAITING_PREPARATION CHARGED (restaurant: order-refused)',
    'cancelled if unstarted':
      'compensate authorize: transmitted AWAITING_PREPARATION CHARGED (system: order-refused)',
    'cancelled by the customer':
      'compensate authorize: transmitted AWAITING_PREPARATION CHARGED (customer: order-refused), delivery accepted, notice in 0 s',
    'cancelled by the operator':
      'compensate authorize: transmitted AWAITING_PREPARATION CHARGED (operator: order-refused), delivery accepted, notice in 0 s',
  },
  'completed, begun': {
    cancelled: 'compensate authorize: transmitted PREPARING CHARGED (restaurant: order-refused)',
    'cancelled by the operator':
      'compensate authorize: transmitted PREPARING CHARGED (operator: order-refused), delivery accepted, notice in 0 s',
  },
  'completed, delivered': {},
  'compensate, refused': {
    done: 'FAILED: failed PROCESSING VOIDED (restaurant: order-refused)',
    expired: 'unchanged: compensate authorize',
    retried: 'unchanged: compensate authorize',
  },
  'compensate, unreachable': {
    done: 'FAILED: failed PROCESSING VOIDED (system: restaurant-unreachable), delivery unreachable, notice in 0 s',
    expired: 'unchanged: compensate authorize',
    retried: 'unchanged: compensate authorize',
  },
  'compensate, expired': {
    done: 'FAILED: failed PROCESSING VOIDED (system: payment-unavailable)',
    expired: 'unchanged: compensate authorize',
    retried: 'unchanged: compensate authorize',
  },
  'compensate, cancelled': {
    done: 'FAILED: transmitted AWAITING_PREPARATION REFUNDED (restaurant: order-refused)',
    expired: 'unchanged: compensate authorize',
    retried: 'unchanged: compensate authorize',
  },
  'failed, declined': {},
  'failed, refused': {},
  'failed, refunded': {},
  'transmit, cash': {
    'delivered: accepted': 'COMPLETED: transmitted AWAITING_PREPARATION DUE, delivery accepted',
    'delivered: refused': 'FAILED: failed PROCESSING VOIDED (restaurant: order-refused), delivery refused',
    'delivered: unreachable':
      'FAILED: failed PROCESSING VOIDED (system: restaurant-unreachable), delivery unreachable, notice in 0 s',
    'cancelled by the customer':
      'FAILED: failed PROCESSING VOIDED (customer: order-refused), delivery unreachable, notice in 15 s',
    'cancelled by the operator':
      'FAILED: failed PROCESSING VOIDED (operator: order-refused), delivery unreachable, notice in 15 s',
    expired: 'unchanged: transmit',
    retried: 'unchanged: transmit',
  },
  'completed, cash': {
    cancelled: 'FAILED: transmitted AWAITING_PREPARATION VOIDED (restaurant: order-refused)',
    'cancelled if unstarted': 'FAILED: transmitted AWAITING_PREPARATION VOIDED (system: order-refused)',
    'cancelled by the customer':
      'FAILED: transmitted AWAITING_PREPARATION VOIDED (customer: order-refused), delivery accepted, notice in 0 s',
    'cancelled by the operator':
      'FAILED: transmitted AWAITING_PREPARATION VOIDED (operator: order-refused), delivery accepted, notice in 0 s',
  },
  'failed, cash': {},
}

test.each([
  ['is declined', 'authorize', (now: Now) => reply(now, declined)],
  ['is refused, in cash', 'transmit, cash', () => delivered('refused')],
  ['is voided after its deadline', 'compensate, expired', (now: Now) => reply(now, done)],
  ['is cancelled', 'completed', () => cancelled()],
] as const)('the cancellation of an order that %s has the date of the event', (_, state, create) => {
  const now = states()[state]!
  expect(apply(now, { ...create(now), at: at + 60 }).order.cancellation).toMatchObject({ date: at + 60 })
})

test.each([
  ['refused', 'The restaurant refused the order: too busy'],
  ['unreachable', 'The restaurant could not be reached.'],
] as const)(
  'the cancellation of an order in cash that was %s says so, and refunds nothing',
  (result, message) => {
    const { cancellation } = apply(placed(cash), delivered(result)).order
    expect(cancellation).toMatchObject({ message, refund: { amount: 0 } })
  },
)

test('a delivery keeps the link that accepted or refused it, by which a later notice is sent', () => {
  for (const outcome of ['accepted', 'refused'] as const)
    expect(apply(states()['transmit']!, delivered(outcome)).delivery).toMatchObject({
      outcome,
      link: 'webhook',
    })
})

describe('event sequence', () => {
  test('a restaurant that may have an unreachable order gets its notice, although the void has no result', () => {
    const { transmit } = states()
    const failing = apply(transmit!, delivered('unreachable'))
    expect(failing).toMatchObject({ delivery: { noticeInMs: 15_000 }, command: { data: { undo: true } } })
    expect(apply(failing, reply(failing, done)), 'after the void').toMatchObject({
      delivery: { noticeInMs: 0 },
    })
  })

  test('an accepted order that is cancelled as not started keeps its delivery, and sends no notice', () => {
    const refused = cancelled({
      by: 'system',
      onlyUnstarted: true,
      refusal: refusal('restaurant-unreachable'),
    })
    const { 'completed, cash': now } = states()
    expect(apply(now!, refused)).toMatchObject({ saga: { isFinished: true }, delivery: null })
  })

  test('a cash order opens its delivery and publishes no command', () => {
    expect(placed(cash)).toMatchObject({ command: null, delivery: { outcome: null } })
  })

  test('a card order is authorized, and captured when its restaurant has accepted it', () => {
    const { authorize, capture } = states()
    expect([authorize, capture].map((now) => (now as Next).command)).toMatchObject([
      {
        command: { name: 'payments.authorize' },
        data: { amount: 1_999, token: 'tok_1', version: 0 },
        batchDelayMs: 0,
      },
      { command: { name: 'payments.capture' }, data: { amount: 1_999, version: 2 }, batchDelayMs: 100 },
    ])
  })

  test('the save step is skipped for a guest, and for a user without a new card and a new address', () => {
    const newAddress = { apiKey: 'a1' } as SendOrderFacts['newAddress']
    for (const [facts, isSkipped] of [
      [{ ...card, userApiKey: null, newAddress }, true],
      [{ ...card, newCard: null }, true],
      [{ ...card, newCard: null, newAddress }, false],
      [card, false],
    ] as const) {
      const authorize = placed(facts)
      const capture = apply(apply(authorize, reply(authorize, done)), delivered('accepted'))
      expect(apply(capture, reply(capture, done)).saga.isFinished).toBe(isSkipped)
    }
  })

  test('a compensation whose reply has no payment state leaves that of the order', () => {
    const { 'compensate, cancelled': compensating } = states()
    expect(apply(compensating!, reply(compensating!, done)).order.paymentState).toBe('CHARGED')
  })

  test('the steps are compensatable ones, one pivot and retriable ones, in this order', () => {
    expect(sendOrderSteps.map(({ kind }) => kind).join(' ')).toMatch(/^(compensatable )*pivot( retriable)*$/)
  })
})

/** Applies the chosen events, then completes the saga. Returns all states. */
function play(facts: SendOrderFacts, chosen: readonly number[]): Now[] {
  const path: Now[] = [placed(facts)]
  for (const choice of chosen) {
    const now = path.at(-1)!
    const possible = Object.values(events).map((create) => transition(now.order, now.saga, create(now)))
    const applied = possible.filter((next) => next !== 'stale').filter(({ saga }) => saga !== now.saga)
    if (applied.length === 0) break
    path.push(applied[choice % applied.length]!)
  }
  return [...path, ...complete(path.at(-1)!)]
}

/** Completes the saga: every awaited step succeeds. */
function complete(now: Now): Now[] {
  const awaited = now.saga.isFinished ? null : awaitedStep(now.saga)
  if (!awaited) return []
  const next = apply(now, awaited.step.kind === 'pivot' ? delivered('accepted') : reply(now, done))
  return [next, ...complete(next)]
}

/** Returns null for a property that holds. */
function counterexampleOf<T>(property: fc.IProperty<T>): string | null {
  const result = fc.check(property)
  return result.failed ? `${fc.stringify(result.counterexample)} (seed ${result.seed})` : null
}

const anyFacts = fc.constantFrom(cash, card, { ...card, newCard: null })
const anyChoices = fc.array(fc.nat(20), { maxLength: 12 })

/** Only accepted orders are captured, and a finished saga is either completed or fully compensated. */
function isBalanced({ order, saga: { state, facts, isFinished } }: Now): boolean {
  const has = (name: string) => state.done.includes(name)
  const isCompensated = state.undone.includes('authorize')
  if (has('capture') && !has('transmit')) return false
  if (isCompensated && !state.refusal) return false
  if (!isFinished) return true
  if (!state.refusal) return order.outcome === 'transmitted' && has('capture') === (facts.token !== null)
  return has('authorize') === isCompensated && order.cancellation !== null
}

describe('any sequence of failures', () => {
  test('an order ends completed, or fully compensated', () => {
    const counterexample = counterexampleOf(
      fc.property(anyFacts, anyChoices, (facts, chosen) => {
        const path = play(facts, chosen)
        return path.every(isBalanced) && path.at(-1)!.saga.isFinished
      }),
    )
    expect(counterexample).toBeNull()
  })

  test('a reply to an earlier step is stale in every later state', () => {
    const counterexample = counterexampleOf(
      fc.property(anyFacts, anyChoices, (facts, chosen) => {
        const path = play(facts, chosen)
        return path.every((now, index) => {
          const later = path.slice(index + 1)
          const replies = awaitedStep(now.saga) ? [reply(now, done), reply(now, declined)] : []
          return later.every(({ order, saga }) =>
            replies.every((one) => transition(order, saga, one) === 'stale'),
          )
        })
      }),
    )
    expect(counterexample).toBeNull()
  })

  test('a retried compensation republishes its command, and does not change the result', () => {
    const counterexample = counterexampleOf(
      fc.property(anyFacts, anyChoices, (facts, chosen) =>
        play(facts, chosen).every((now) => {
          if (now.saga.isFinished || !awaitedStep(now.saga)?.isCompensation) return true
          const again = apply(now, { kind: 'retried', at })
          const [one, other] = [now, again].map((from) => apply(from, reply(from, done)))
          return again.saga === now.saga && again.command?.data.undo === true && areEqual(one, other)
        }),
      ),
    )
    expect(counterexample).toBeNull()
  })

  test('each applied event increments the version, and the outcome never returns to pending', () => {
    const rank = { pending: 0, transmitted: 1, failed: 1 }
    const counterexample = counterexampleOf(
      fc.property(anyFacts, anyChoices, (facts, chosen) =>
        play(facts, chosen).every((now, index, path) => {
          const before = path[index - 1] ?? now
          const isNext = index === 0 || now.saga.version === before.saga.version + 1
          return isNext && rank[now.order.outcome] >= rank[before.order.outcome]
        }),
      ),
    )
    expect(counterexample).toBeNull()
  })
})

const areEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
