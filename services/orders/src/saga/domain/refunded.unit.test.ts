import { cents, type Outcome } from '@platter/contracts'
import { expect, test } from 'vitest'
import type { OrderRefund } from '#/domain/refund.ts'
import { transition, type Event } from '#/saga/domain/transition.ts'
import {
  at,
  cash,
  done,
  declined,
  apply,
  reply,
  delivered,
  cancelled,
  placed,
  states,
  type Now,
} from '#/testing/sagas.ts'

const aRefund = (apiKey: string, amount: number, state: OrderRefund['state'] = 'PENDING'): OrderRefund => ({
  apiKey,
  amount: cents(amount),
  state,
  reason: 'LATE',
  items: [],
  delivery: cents(0),
  tip: cents(0),
  requestedBy: 'restaurant',
  borneBy: 'restaurant',
  date: at,
})
const request = (now: Now, refund: OrderRefund): Event => ({
  kind: 'refund-requested',
  at,
  refund,
  count: now.order.refunds.length,
})
const ended = (refund: string, outcome: Outcome, version = 0): Event => ({
  kind: 'replied',
  at,
  step: 'refund',
  isCompensation: false,
  version,
  outcome,
  refund,
})
const { completed, authorize, capture, save } = states()
const one = apply(completed!, request(completed!, aRefund('f1', 500)))

test('a refund reopens the saga, which republishes the command until the refund has a result', () => {
  expect(one).toMatchObject({
    order: { paymentState: 'CHARGED', refunds: [{ apiKey: 'f1', state: 'PENDING' }] },
    saga: { isFinished: false },
    command: {
      command: { name: 'payments.refund' },
      data: { orderApiKey: 'o1', step: 'refund', undo: false, refund: 'f1', amount: 500 },
    },
  })
  expect(apply(one, { kind: 'retried', at }).command?.data).toMatchObject({ refund: 'f1' })
  const finished = apply(one, ended('f1', done))
  expect(finished).toMatchObject({
    order: { paymentState: 'CHARGED', refunds: [{ state: 'DONE' }] },
    saga: { isFinished: true },
  })
  expect(transition(finished.order, finished.saga, ended('f1', done)), 'a repeated reply').toBe('stale')
})

test('a failed refund frees its amount', () => {
  const failed = apply(one, ended('f1', declined))
  expect(failed.order.refunds).toMatchObject([{ state: 'FAILED' }])
  const all = apply(failed, request(failed, aRefund('f2', 1_999)))
  expect(apply(all, ended('f2', done)).order.paymentState).toBe('REFUNDED')
})

test('retries take turns by attempt, from the newest of the pending refunds to the oldest', () => {
  const two = apply(one, request(one, aRefund('f2', 600)))
  const three = apply(two, request(two, aRefund('f3', 700)))
  const turns = [1, 2, 3, 4].map((attempt) => {
    const { command } = apply({ ...three, saga: { ...three.saga, attempt } }, { kind: 'retried', at })
    return command?.data['refund']
  })
  expect(turns).toEqual(['f3', 'f2', 'f1', 'f3'])
})

test('a reply with any version ends its pending refund', () => {
  const two = apply(one, request(one, aRefund('f2', 600)))
  const first = apply(two, ended('f1', done, one.saga.version))
  expect(first.saga.isFinished).toBe(false)
  expect(apply(first, ended('f2', done)).saga.isFinished).toBe(true)
})

test('a refund does not wait until the new card is saved, which follows after its result', () => {
  const pending = apply(save!, request(save!, aRefund('f1', 500)))
  expect(pending.command?.data).toMatchObject({ step: 'refund', refund: 'f1' })
  expect(apply(pending, { kind: 'retried', at }).command?.data).toMatchObject({ refund: 'f1' })
  const saving = apply(pending, ended('f1', done))
  expect(saving).toMatchObject({
    order: { refunds: [{ state: 'DONE' }] },
    saga: { isFinished: false },
    command: { data: { step: 'save', version: saving.saga.version } },
  })
  expect(apply(saving, reply(saving, done)).saga.isFinished).toBe(true)
})

test.each([
  ['larger than the remaining amount', () => [one, request(one, aRefund('f2', 1_500))]],
  ['with a stale count', () => [one, { ...request(one, aRefund('f2', 1)), count: 0 } as Event]],
  ['before the capture', () => [capture!, request(capture!, aRefund('f1', 1))]],
  ['of a pending order', () => [authorize!, request(authorize!, aRefund('f1', 1))]],
  ['of a pending cash order', () => [placed(cash), request(placed(cash), aRefund('f1', 1, 'DONE'))]],
  ['of a cancelled order', () => [apply(completed!, cancelled()), request(completed!, aRefund('f1', 1))]],
] as [string, () => [Now, Event]][])('a refund %s is stale', (_, setUp) => {
  const [now, event] = setUp()
  expect(transition(now.order, now.saga, event)).toBe('stale')
})

test('a cancellation refunds the remaining amount, and a pending refund still gets its result', () => {
  const voiding = apply(one, cancelled())
  expect(voiding).toMatchObject({
    order: { cancellation: { refund: { amount: 14.99 } } },
    command: { data: { undo: true } },
  })
  const open = apply(voiding, reply(voiding, { kind: 'done', paymentState: 'REFUNDED' }))
  expect(open).toMatchObject({ saga: { isFinished: false }, command: { data: { refund: 'f1' } } })
  const last = apply(open, ended('f1', done))
  expect(last).toMatchObject({
    order: { paymentState: 'REFUNDED', refunds: [{ state: 'DONE' }] },
    saga: { isFinished: true },
  })
})

test('a pending refund that fails after a cancellation is added to its refund amount', () => {
  const two = apply(one, request(one, aRefund('f2', 600)))
  const voiding = apply(two, cancelled())
  expect(voiding.order.cancellation?.refund.amount).toBe(8.99)
  const open = apply(voiding, reply(voiding, { kind: 'done', paymentState: 'REFUNDED' }))
  const first = apply(open, ended('f2', declined))
  expect(first.order.cancellation?.refund.amount).toBe(14.99)
  const last = apply(first, ended('f1', done))
  expect(last).toMatchObject({
    order: { cancellation: { refund: { amount: 14.99 } }, paymentState: 'REFUNDED' },
    saga: { isFinished: true },
  })
})

test('a refund of a cash order is complete at once, and publishes no command', () => {
  const now = apply(placed(cash), delivered('accepted'))
  const finished = apply(now, request(now, aRefund('f1', 1_999, 'DONE')))
  expect(finished).toMatchObject({
    order: { paymentState: 'REFUNDED' },
    saga: { isFinished: true },
    command: null,
  })
})
