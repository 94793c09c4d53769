import type { Refund, RestaurantOrder } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { anOrder } from '#/testing/an-order.ts'
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

  test('repeating a mark removes it, and the other mark replaces it', () => {
    expect(partsOf(marked([1, 'missing'], [1, 'missing']))).toBeNull()
    expect(marked([1, 'missing'], [1, 'wrong']).marks).toEqual(new Map([[1, 'wrong']]))
  })

  test('may be the delivery or the tip alone', () => {
    expect(partsOf({ ...NOTHING, includeDelivery: true })).toEqual({ items: [], includeDelivery: true })
    expect(partsOf({ ...NOTHING, includeTip: true })).toEqual({ items: [], includeTip: true })
  })

  test('are the whole order or an amount, and then ignore earlier marks', () => {
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
  ])('the text %j is parsed as the amount %j', (text, expected) => {
    expect(amountOf(text)).toBe(expected)
  })
})

describe('refund reason', () => {
  test('is MISSING_ITEM for missing items, and WRONG_ITEM if one item is wrong', () => {
    expect(reasonOf(marked([0, 'missing']))).toBe('MISSING_ITEM')
    expect(reasonOf(marked([0, 'missing'], [1, 'wrong']))).toBe('WRONG_ITEM')
  })

  test('is the one that the restaurant chose, despite other marks', () => {
    expect(reasonOf({ ...marked([0, 'missing']), reason: 'QUALITY' })).toBe('QUALITY')
  })

  test('is null without marks and for a full refund', () => {
    expect(reasonOf(NOTHING)).toBeNull()
    expect(reasonOf({ ...marked([0, 'missing']), kind: 'all' })).toBeNull()
  })
})

describe('offered reversal', () => {
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
    ['a cash order before delivery', { status: 'PREPARING', payment: 'cash' }, 'cancel'],
    ['a cash order after delivery', { status: 'DELIVERED', payment: 'cash' }, 'refund'],
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
      {
        status: 'DELIVERED',
        refundedTotal: 10.79,
        refunds: [aRefund(10.79), aRefund(0.01, { state: 'FAILED' })],
      },
      'refund',
    ],
  ])('%s (%j) offers %s', (_, changes, expected) => {
    expect(reversalOf(anOrder({ payment: 'card', refunds: [], ...changes }))).toBe(expected)
  })
})

describe('refund texts', () => {
  const refunds = [
    aRefund(0.1, { items: [{ index: 1, amount: 0.1 }] }),
    aRefund(0.2, { state: 'PENDING', items: [{ index: 1, amount: 0.2 }] }),
    aRefund(5, { state: 'FAILED', items: [{ index: 1, amount: 5 }] }),
  ]

  test('are null for an order without refunds', () => {
    expect([refundText(anOrder()), failedRefundText(anOrder())]).toEqual([null, null])
    expect(leftOf(anOrder())).toBe(10.8)
  })

  test('contain the refunded part of the total, the amount in progress, and the failed refund', () => {
    const order = { ...anOrder(), refunds, refundedTotal: 0.1 }
    expect(refundText(order)).toBe('Refunded 0.30 of 10.80, 0.20 of it in progress')
    expect(failedRefundText(order)).toMatch(/^A refund of 5\.00 failed\./)
    expect([leftOf(order), refundedOf(order, 1), refundedOf(order, 0)]).toEqual([10.5, 0.3, 0])
  })

  test('contain the whole total of an order that was cancelled after the refund of a part', () => {
    expect(refundText(anOrder({ refunds: [aRefund(2.5)], refundedTotal: 10.8 }))).toBe(
      'Refunded 10.80 of 10.80',
    )
  })
})
