import { cents } from '@platter/contracts'
import { expect, test } from 'vitest'
import { orderRecord } from '#/domain/order.ts'
import { refundOfProcessor, type OrderRefund } from '#/domain/refund.ts'
import { transition, type Event } from '#/saga/domain/transition.ts'
import {
  placed,
  apply,
  at,
  cash,
  cancelled,
  declined,
  delivered,
  done,
  reply,
  states,
  type Now,
} from '#/testing/sagas.ts'

const refundOf = (id: string, amount: number, state: OrderRefund['state'] = 'DONE') =>
  refundOfProcessor({ id, amount: cents(amount), state, date: at }, id)
const dispute = { state: 'OPEN', amount: cents(300), reason: 'fraudulent', respondBy: at + 600_000 } as const
const mirrored = (
  version: number,
  refunds: OrderRefund[],
  open: typeof dispute | null = null,
  failed: string[] = [],
): Event => ({
  kind: 'mirrored',
  at,
  version,
  refunds,
  failed,
  dispute: open,
})
const { completed, authorize, capture, save } = states()
const TOTAL = 1_999

test('a later mirror of a charge replaces the refunds of an earlier one, which is then stale', () => {
  const one = apply(completed!, mirrored(1, [refundOf('re_1', 500)]))
  expect(one).toMatchObject({
    order: { paymentState: 'CHARGED', refunds: [{ requestedBy: 'processor', amount: 500, state: 'DONE' }] },
    saga: { isFinished: true, version: completed!.saga.version + 1 },
    command: null,
    delivery: null,
  })
  const two = apply(one, mirrored(2, [refundOf('re_1', 500), refundOf('re_2', 700)]))
  expect(two.order.refunds.map(({ amount }) => amount)).toEqual([500, 700])
  expect(transition(two.order, two.saga, mirrored(1, [refundOf('re_1', 500)])), 'an earlier mirror').toBe(
    'stale',
  )
  const repeated = apply(two, mirrored(2, [refundOf('re_1', 500), refundOf('re_2', 700)]))
  expect(repeated.order, 'a repeated mirror').toEqual(two.order)
})

test('the payment state is REFUNDED after a full refund, and CHARGED again when it fails', () => {
  const all = apply(completed!, mirrored(1, [refundOf('re_1', TOTAL)]))
  expect(all.order.paymentState).toBe('REFUNDED')
  expect(apply(all, mirrored(2, [refundOf('re_1', TOTAL, 'FAILED')])).order.paymentState).toBe('CHARGED')
  const pending = mirrored(1, [refundOf('re_1', TOTAL, 'PENDING')])
  expect(apply(completed!, pending).order.paymentState).toBe('CHARGED')
})

const requestedHere = { ...refundOf('x', TOTAL, 'PENDING'), apiKey: 'f1', requestedBy: 'operator' } as const
const requested = apply(completed!, { kind: 'refund-requested', at, refund: requestedHere, count: 0 })
const refundReply: Event = {
  kind: 'replied',
  at,
  step: 'refund',
  isCompensation: false,
  version: 0,
  outcome: done,
  refund: 'f1',
}

test('a refund that fails after it was DONE becomes FAILED, and its amount can be refunded again', () => {
  const refunded = apply(requested, refundReply)
  expect(refunded.order.paymentState).toBe('REFUNDED')
  const returned = apply(refunded, mirrored(1, [], null, ['f1']))
  expect(returned).toMatchObject({
    order: { paymentState: 'CHARGED', refunds: [{ state: 'FAILED', failedAt: at }] },
    saga: { isFinished: true },
    command: null,
  })
  const again = { ...requestedHere, apiKey: 'f2' }
  expect(apply(returned, { kind: 'refund-requested', at, refund: again, count: 1 }).command).not.toBeNull()
})

test('only the refunds that the processor lists as failed fail, and keep the time of their failure', () => {
  const half = { ...requestedHere, amount: cents(500) }
  const first = apply(completed!, { kind: 'refund-requested', at, refund: half, count: 0 })
  const both = apply(first, { kind: 'refund-requested', at, refund: { ...half, apiKey: 'f2' }, count: 1 })
  const failed = apply(both, mirrored(1, [], null, ['f1']))
  const again = apply(failed, { ...mirrored(2, [], null, ['f1']), at: at + 60 })
  for (const { order, command } of [failed, again]) {
    expect(order.refunds).toMatchObject([
      { apiKey: 'f1', state: 'FAILED', failedAt: at },
      { apiKey: 'f2', state: 'PENDING' },
    ])
    expect(command?.data).toMatchObject({ refund: 'f2' })
  }
})

test('refunds are listed by date, wherever they were made', () => {
  const later = { ...requestedHere, date: at + 60 }
  const own = apply(completed!, { kind: 'refund-requested', at, refund: later, count: 0 })
  const both = apply(own, mirrored(1, [refundOf('re_1', 1)]))
  expect(both.order.refunds.map(({ apiKey }) => apiKey)).toEqual(['re_1', 'f1'])
})

test('a failure of a refund that arrives before the reply to its success is not overwritten by it', () => {
  const failed = apply(requested, mirrored(1, [], null, ['f1']))
  expect(failed).toMatchObject({
    order: { paymentState: 'CHARGED', refunds: [{ state: 'FAILED', failedAt: at }] },
    saga: { isFinished: true },
    command: null,
  })
  expect(transition(failed.order, failed.saga, refundReply)).toBe('stale')
})

test('a failure of a pending refund after a cancellation increases the amount that the release refunds', () => {
  const cancelling = apply(requested, cancelled({ by: 'operator' }))
  expect(cancelling.order.cancellation?.refund.amount).toBe(0)
  const failed = apply(cancelling, mirrored(1, [], null, ['f1']))
  expect(failed.order).toMatchObject({
    cancellation: { refund: { amount: 19.99 } },
    refunds: [{ state: 'FAILED' }],
  })
  expect(transition(failed.order, failed.saga, refundReply)).toBe('stale')
  const released = apply(failed, reply(failed, { kind: 'done', paymentState: 'REFUNDED' }))
  expect(released).toMatchObject({ order: { paymentState: 'REFUNDED' }, saga: { isFinished: true } })
})

test('a mirrored refund and a pending refund of an operator together make the order REFUNDED', () => {
  const refund = { ...refundOf('x', 1_000, 'PENDING'), apiKey: 'f1', requestedBy: 'operator' } as const
  const own = apply(completed!, { kind: 'refund-requested', at, refund, count: 0 })
  const both = apply(own, mirrored(1, [refundOf('re_1', 999)]))
  expect(both, 'its command is republished').toMatchObject({
    saga: { isFinished: false },
    command: { data: { refund: 'f1' } },
  })
  expect(apply(both, refundReply)).toMatchObject({
    order: { paymentState: 'REFUNDED' },
    saga: { isFinished: true },
  })
})

test('a mirrored dispute changes neither the payment state nor the finished saga', () => {
  const open = apply(completed!, mirrored(1, [], dispute))
  expect(open).toMatchObject({ order: { paymentState: 'CHARGED', dispute }, saga: { isFinished: true } })
  const lost = { ...dispute, state: 'LOST' } as const
  expect(apply(open, { ...mirrored(2, []), dispute: lost } as Event).order.dispute).toEqual(lost)
  expect(apply(open, mirrored(2, [])).order.dispute, 'a report without the dispute').toEqual(dispute)
})

test('a mirrored charge republishes the awaited command under the new version', () => {
  const next = apply(save!, mirrored(1, [refundOf('re_1', 500)]))
  expect(next).toMatchObject({
    command: { command: { name: 'accounts.save' }, data: { version: next.saga.version } },
  })
})

test.each([
  ['a pending order', () => authorize!],
  ['an order without a reply to its capture', () => capture!],
] as [string, () => Now][])('a mirrored charge is stale for %s', (_, createState) => {
  const now = createState()
  expect(transition(now.order, now.saga, mirrored(1, [refundOf('re_1', 1)]))).toBe('stale')
})

test('an order that was cancelled before the reply to its capture gets a mirrored dispute, before its release has ended', () => {
  const disputed = apply(apply(capture!, cancelled({ by: 'operator' })), mirrored(1, [], dispute))
  expect(disputed.order).toMatchObject({ dispute, paymentState: 'AUTHORIZED' })
  expect(readReleased(disputed)).toEqual({ paymentState: 'REFUNDED', refund: 19.99, refundedTotal: 19.99 })
})

test('a cancelled order gets a mirrored dispute, but no mirrored refund and no second notice', () => {
  const cancelling = apply(completed!, cancelled({ by: 'operator' }))
  expect(cancelling.delivery).not.toBeNull()
  const refunded = apply(cancelling, reply(cancelling, { kind: 'done', paymentState: 'REFUNDED' }))
  const next = apply(refunded, mirrored(1, [refundOf('release', TOTAL)], dispute))
  expect(next).toMatchObject({
    order: { paymentState: 'REFUNDED', refunds: [], dispute },
    delivery: null,
    command: null,
  })
})

const lost = (version: number, refunds: OrderRefund[] = []): Event =>
  ({ ...mirrored(version, refunds), dispute: { ...dispute, state: 'LOST' } }) as Event
/** Applies the end of the release to a cancelled order. */
const release = (now: Now) => apply(now, reply(now, { kind: 'done', paymentState: 'REFUNDED' }))
const readRefunds = ({ order }: Now) => {
  const { paymentState, cancellation, refundedTotal } = orderRecord(order)
  return { paymentState, refund: cancellation?.refund.amount, refundedTotal }
}
/** What an application reads of a cancelled order after its release. */
const readReleased = (now: Now) => readRefunds(release(now))

test('a cancelled order with a lost dispute shows only what was refunded, because its release refunds nothing', () => {
  const nothing = { paymentState: 'REFUNDED', refund: 0, refundedTotal: 0 }
  expect(readReleased(apply(apply(completed!, lost(1)), cancelled())), 'lost before').toEqual(nothing)
  expect(readReleased(apply(apply(completed!, cancelled()), lost(1))), 'lost after').toEqual(nothing)
  const partly = { ...mirrored(1, []), dispute: { ...dispute, lost: cents(100) } } as Event
  expect(readReleased(apply(apply(completed!, partly), cancelled())), 'another one is open').toEqual(nothing)
  const refunded = apply(apply(completed!, lost(1, [refundOf('re_1', 500)])), cancelled())
  expect(readReleased(refunded), 'a refund before').toEqual({ ...nothing, refundedTotal: 5 })
  expect(readReleased(apply(refunded, lost(2, [refundOf('re_1', 500)])))).toEqual({
    ...nothing,
    refundedTotal: 5,
  })
})

test('a dispute that is lost after a cancellation has refunded its order does not change the shown refund', () => {
  const twice = lost(1, [refundOf('release', TOTAL), refundOf('failed', TOTAL, 'FAILED')])
  expect(readReleased(apply(apply(completed!, cancelled()), twice))).toEqual({
    paymentState: 'REFUNDED',
    refund: 19.99,
    refundedTotal: 19.99,
  })
})

test('a refund that fails after a lost dispute does not change what the release is shown to have refunded', () => {
  const part = { ...requestedHere, amount: cents(500) }
  const pending = apply(completed!, { kind: 'refund-requested', at, refund: part, count: 0 })
  const cancelling = apply(apply(pending, cancelled()), lost(1, [refundOf('release', 333)]))
  const refunded = apply(cancelling, { ...refundReply, outcome: declined })
  expect(readReleased(refunded)).toEqual({ paymentState: 'REFUNDED', refund: 3.33, refundedTotal: 3.33 })
})

test.each([
  ['OPEN', 19.99, 19.99],
  ['LOST', 0, 0],
] as const)(
  'a refund that fails after a cancellation is FAILED, and with a dispute %s %d is shown as refunded',
  (state, refund, refundedTotal) => {
    const part = { ...requestedHere, amount: cents(500) }
    const pending = apply(completed!, { kind: 'refund-requested', at, refund: part, count: 0 })
    const cancelling = apply(apply(pending, refundReply), cancelled({ by: 'operator' }))
    expect(cancelling.order).toMatchObject({
      cancellation: { refund: { amount: 14.99 } },
      refunds: [{ apiKey: 'f1', state: 'DONE' }],
    })
    const mirror = { ...mirrored(1, [], null, ['f1']), dispute: { ...dispute, state } } as Event
    const failed = apply(cancelling, mirror)
    expect(failed.order.refunds).toMatchObject([{ apiKey: 'f1', state: 'FAILED', failedAt: at }])
    expect(readReleased(failed)).toEqual({ paymentState: 'REFUNDED', refund, refundedTotal })
  },
)

test('a refund of a release that fails later is no longer shown as returned, and one in the dashboard replaces it', () => {
  const released = release(apply(completed!, cancelled()))
  const shown = (made: OrderRefund[], version = 1) => readRefunds(apply(released, mirrored(version, made)))
  const whole = { paymentState: 'REFUNDED', refund: 19.99, refundedTotal: 19.99 }
  expect(shown([refundOf('release', TOTAL)])).toEqual(whole)
  expect(shown([]), 'a report from before the refund').toEqual(whole)
  const failed = refundOf('release', TOTAL, 'FAILED')
  expect(shown([failed])).toEqual({ paymentState: 'REFUNDED', refund: 0, refundedTotal: 0 })
  expect(shown([failed, refundOf('dashboard', TOTAL)])).toEqual(whole)
})

test('a refund that fails after the release has ended is not shown as returned by the release', () => {
  const part = { ...requestedHere, amount: cents(500) }
  const refunded = apply(
    apply(completed!, { kind: 'refund-requested', at, refund: part, count: 0 }),
    refundReply,
  )
  const released = release(apply(refunded, cancelled({ by: 'operator' })))
  const rest = { paymentState: 'REFUNDED', refund: 14.99, refundedTotal: 14.99 }
  for (const made of [[], [refundOf('release', 1_499)]])
    expect(readRefunds(apply(released, mirrored(1, made, null, ['f1'])))).toEqual(rest)
})

test.each([
  ['DONE', 14.99, 19.99],
  ['FAILED', 19.99, 19.99],
] as const)(
  'a refund at the processor that was pending at a cancellation becomes %s before its release, and the order shows it',
  (state, refund, refundedTotal) => {
    const pending = apply(completed!, mirrored(1, [refundOf('re_1', 500, 'PENDING')]))
    const ended = apply(apply(pending, cancelled()), mirrored(2, [refundOf('re_1', 500, state)]))
    expect(ended.order.refunds).toMatchObject([{ apiKey: 're_1', state }])
    expect(readReleased(ended)).toEqual({ paymentState: 'REFUNDED', refund, refundedTotal })
  },
)

test('a refund that fails after the release, whose reply is late, is not shown as returned', () => {
  const half = { ...requestedHere, amount: cents(500) }
  const one = apply(completed!, { kind: 'refund-requested', at, refund: half, count: 0 })
  const both = apply(one, { kind: 'refund-requested', at, refund: { ...half, apiKey: 'f2' }, count: 1 })
  const rest = TOTAL - 1_000
  const failed = apply(apply(both, cancelled()), mirrored(1, [refundOf('release', rest)], null, ['f2']))
  const shown = { paymentState: 'REFUNDED', refund: rest / 100 }
  expect(readReleased(failed), 'the release ends first').toMatchObject(shown)
  expect(readRefunds(apply(release(failed), refundReply)), 'the other refund ends last').toMatchObject(shown)
  expect(readReleased(apply(failed, refundReply)), 'the other refund ends first').toMatchObject(shown)
})

test('a dispute of an order that failed at its deadline sends its restaurant no second notice', () => {
  const voiding = states()['compensate, unreachable']!
  const failed = apply(voiding, reply(voiding, done))
  expect(failed.delivery).toMatchObject({ outcome: 'unreachable', noticeInMs: 0 })
  expect(apply(failed, mirrored(1, [], dispute))).toMatchObject({ order: { dispute }, delivery: null })
})

test('a mirrored charge leaves the payment state of a cash order DUE', () => {
  const now = apply(placed(cash), delivered('accepted'))
  expect(apply(now, mirrored(1, [])).order.paymentState).toBe('DUE')
})
