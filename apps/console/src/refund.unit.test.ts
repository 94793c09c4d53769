import type { Refund, RestaurantOrder } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { anOrder } from '#/fixtures.ts'
import {
  amountOf,
  failedRefundText,
  leftOf,
  NOTHING,
  partsOf,
  reasonOf,
  refundedOf,
  refundText,
  reversalOf,
  toggleMark,
  type Reversal,
  type Selection,
} from '#/refund.ts'

const marked = (...marks: [number, 'missing' | 'wrong'][]): Selection =>
  marks.reduce((selection, [index, mark]) => toggleMark(selection, index, mark), NOTHING)

const aRefund = (amount: number, changes: Partial<Refund> = {}): Refund => ({
  apiKey: `${amount}`,
  amount,
  state: 'DONE',
  reason: 'OTHER',
  requestedBy: 'restaurant',
  borneBy: 'restaurant',
  date: 1,
  ...changes,
})

describe('the chosen parts', () => {
  test('are the marked items by their index in the order', () => {
    expect(partsOf(marked([2, 'wrong'], [0, 'missing']))).toEqual({ items: [{ index: 0 }, { index: 2 }] })
  })

  test('the same mark again removes it, the other mark replaces it', () => {
    expect(partsOf(marked([1, 'missing'], [1, 'missing']))).toBeNull()
    expect(marked([1, 'missing'], [1, 'wrong']).marks).toEqual(new Map([[1, 'wrong']]))
  })

  test('may be the delivery or the tip alone', () => {
    expect(partsOf({ ...NOTHING, includeDelivery: true })).toEqual({ items: [], includeDelivery: true })
  })

  test('are everything, or an amount; marks of before do not count then', () => {
    expect(partsOf({ ...marked([1, 'wrong']), kind: 'all' })).toEqual({ all: true })
    expect(partsOf({ ...NOTHING, kind: 'amount', amount: '4,50' })).toEqual({ amount: 4.5 })
    expect(partsOf({ ...marked([1, 'wrong']), kind: 'amount' })).toBeNull()
  })

  test.each([
    ['4', 4],
    ['4.5', 4.5],
    [' 0.07 ', 0.07],
    ['0', null],
    ['0.00', null],
    ['1.005', null],
    ['-2', null],
    ['1e3', null],
    ['', null],
  ])('the amount %j is %j', (text, expected) => {
    expect(amountOf(text)).toBe(expected)
  })
})

describe('the reason', () => {
  test('follows the marks, and one wrong item decides', () => {
    expect(reasonOf(marked([0, 'missing']))).toBe('MISSING_ITEM')
    expect(reasonOf(marked([0, 'missing'], [1, 'wrong']))).toBe('WRONG_ITEM')
  })

  test('that the restaurant chose precedes', () => {
    expect(reasonOf({ ...marked([0, 'missing']), reason: 'QUALITY' })).toBe('QUALITY')
  })

  test('is open without a mark', () => {
    expect(reasonOf(NOTHING)).toBeNull()
    expect(reasonOf({ ...marked([0, 'missing']), kind: 'all' })).toBeNull()
  })
})

describe('an order offers', () => {
  const cancellation = {
    reason: 'order-refused',
    message: 'No.',
    cancelledBy: 'restaurant',
    date: 1,
    refund: { amount: 0, state: 'VOIDED' },
  } as const
  test.each<[string, Partial<RestaurantOrder>, Reversal]>([
    ['a new order', { status: 'AWAITING_PREPARATION' }, 'refuse'],
    ['an order in preparation', { status: 'PREPARING' }, 'refund'],
    ['a delivered order', { status: 'DELIVERED' }, 'refund'],
    ['cash that is not collected yet', { status: 'PREPARING', payment: 'cash' }, 'cancel'],
    ['cash after delivery', { status: 'DELIVERED', payment: 'cash' }, 'refund'],
    ['a test order in preparation', { status: 'PREPARING', test: true }, 'cancel'],
    ['a test order after delivery', { status: 'DELIVERED', test: true }, null],
    ['a cancelled order', { status: 'AWAITING_PREPARATION', cancellation }, null],
    [
      'an order refunded in full',
      { status: 'DELIVERED', refunds: [aRefund(10.8, { state: 'PENDING' })] },
      null,
    ],
    [
      'an order refunded in part',
      { status: 'DELIVERED', refunds: [aRefund(10.79), aRefund(0.01, { state: 'FAILED' })] },
      'refund',
    ],
  ])('%s: %j → %s', (_, changes, expected) => {
    expect(reversalOf(anOrder({ payment: 'card', refunds: [], ...changes }))).toBe(expected)
  })
})

describe('refunds in words', () => {
  const refunds = [
    aRefund(0.1, { items: [{ index: 1, amount: 0.1 }] }),
    aRefund(0.2, { state: 'PENDING', items: [{ index: 1, amount: 0.2 }] }),
    aRefund(5, { state: 'FAILED', items: [{ index: 1, amount: 5 }] }),
  ]

  test('none for an order without', () => {
    expect([refundText(anOrder()), failedRefundText(anOrder())]).toEqual([null, null])
    expect(leftOf(anOrder())).toBe(10.8)
  })

  test('the sum of the total, what is in progress, and what failed', () => {
    const order = { ...anOrder(), refunds, refundedTotal: 0.1 }
    expect(refundText(order)).toBe('Refunded 0.30 of 10.80, 0.20 of it in progress')
    expect(failedRefundText(order)).toMatch(/^A refund of 5\.00 failed\./)
    expect([leftOf(order), refundedOf(order, 1), refundedOf(order, 0)]).toEqual([10.5, 0.3, 0])
  })
})
