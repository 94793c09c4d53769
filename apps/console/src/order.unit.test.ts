import type { OrderStatus } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { anOrder as order } from '#/testing/an-order.ts'
import {
  actionLabel,
  columnOf,
  formatMinutes,
  isOlder,
  lateAfter,
  linesOf,
  minutesSince,
  stateLabel,
  timeLeft,
  warningsDue,
  toCollectNow,
} from '#/order.ts'

const cancellation = {
  reason: 'order-refused',
  message: 'No.',
  cancelledBy: 'restaurant',
  date: 1,
  refund: { amount: 0, state: 'VOIDED' },
} as const
const cancelled = order({ cancellation })

test.each(['customer', 'operator'] as const)(
  'the label of an order that the %s cancelled names the canceller',
  (cancelledBy) => {
    expect(stateLabel(order({ cancellation: { ...cancellation, cancelledBy } }))).toBe(
      `Cancelled by the ${cancelledBy}`,
    )
  },
)

describe('columns', () => {
  const columnsOfStatuses: [OrderStatus, string][] = [
    ['PROCESSING', 'new'],
    ['AWAITING_PREPARATION', 'new'],
    ['PREPARING', 'preparing'],
    ['PREPARING_AND_DELIVERING', 'preparing'],
    ['OUT_FOR_DELIVERY', 'ready'],
    ['READY_FOR_PICKUP', 'ready'],
    ['DELIVERED', 'done'],
  ]

  test.each(columnsOfStatuses)('status %s is in the column %s', (status, column) =>
    expect(columnOf(order({ status }))).toBe(column),
  )

  test.each(columnsOfStatuses)('a cancelled order with status %s is in the column done', (status) =>
    expect(columnOf(order({ status, cancellation }))).toBe('done'),
  )
})

test('a record is older only than records of later columns', () => {
  expect(isOlder(order(), order({ status: 'PREPARING' }))).toBe(true)
  expect(isOlder(order({ status: 'PREPARING' }), order())).toBe(false)
  expect(isOlder(order(), cancelled)).toBe(true)
  expect(isOlder(order(), order())).toBe(false)
})

test('the label of the last step depends on pickup or delivery', () => {
  expect(actionLabel('DELIVERED', 'pickup')).toBe('Handed over')
  expect(actionLabel('DELIVERED', 'delivery')).toBe('Delivered')
})

describe('lateness', () => {
  const waits = { minWaitTime: 45, maxWaitTime: 60 }

  test('an order is late after maxWaitTime', () =>
    expect(lateAfter(order({ status: 'PREPARING' }), waits)).toBe(60))

  test('a new order is late when less than minWaitTime is left', () =>
    expect(lateAfter(order(), waits)).toBe(15))

  test('no order is late within its first 5 minutes', () =>
    expect(lateAfter(order(), { minWaitTime: 30, maxWaitTime: 30 })).toBe(5))

  test('a started order is never late at a restaurant without wait times', () =>
    expect(lateAfter(order({ status: 'PREPARING' }), { minWaitTime: 0, maxWaitTime: 0 })).toBe(Infinity))
})

describe('an order that is not started', () => {
  // 15 minutes: the first warning after 7:30, the second after 12:00. It arrived at 1,000, after ten minutes at the bank.
  const waiting = order({ datePlaced: 400, acceptBy: 1_900 })

  test.each([
    [0, 0],
    [449, 0],
    [450, 1],
    [719, 1],
    [720, 2],
    [5_000, 2],
  ])('%i s after it arrived, %i warnings are due', (seconds, due) =>
    expect(warningsDue(waiting, (1_000 + seconds) * 1_000)).toBe(due),
  )

  test('no warning is due for an order that is not cancelled automatically', () =>
    expect(warningsDue(order(), 1e15)).toBe(0))

  test.each([
    [0, '15:00'],
    [475, '7:05'],
    [899.2, '0:01'],
    [900, null],
    [5_000, null],
  ])('%d s after it was placed, the time left is %s', (seconds, left) =>
    expect(timeLeft(1_900, (1_000 + seconds) * 1_000)).toBe(left),
  )
})

test('minutes are whole, and never negative when the clock is behind', () => {
  expect(minutesSince(1_000, 1_000_000 + 119_000)).toBe(1)
  expect(minutesSince(1_000, 0)).toBe(0)
})

test.each([
  [0, '0 min'],
  [99, '99 min'],
  [100, '1 h 40 min'],
  [125, '2 h 05 min'],
])('%i minutes are formatted as %s', (minutes, text) => expect(formatMinutes(minutes)).toBe(text))

const piece = (changes: object = {}) => ({
  apiKey: 'dumplings',
  name: 'Dumplings',
  comments: null,
  basePrice: 1,
  totalPrice: 1,
  customizationChoices: [],
  ...changes,
})

test('equal items share one line, and an item with a comment or a choice has its own', () => {
  const choice = { apiKey: 'c', details: 'Sauce: Chili', price: 0 }
  const lines = linesOf([
    piece(),
    piece({ customizationChoices: [choice] }),
    piece(),
    piece({ comments: 'crispy' }),
  ])
  expect(lines).toEqual([
    { count: 2, name: 'Dumplings', choices: [], comments: null },
    { count: 1, name: 'Dumplings', choices: ['Sauce: Chili'], comments: null },
    { count: 1, name: 'Dumplings', choices: [], comments: 'crispy' },
  ])
})

test('cash is to be collected until the order is handed over', () => {
  expect(toCollectNow(order({ toCollect: 12.5, status: 'READY_FOR_PICKUP' }))).toBe(12.5)
  expect(toCollectNow(order({ toCollect: 12.5, status: 'DELIVERED' }))).toBe(0)
})
