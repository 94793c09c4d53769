import { cents } from '@platter/contracts'
import { expect, test } from 'vitest'
import type { Authorization } from '#/domain/authorization.ts'
import {
  disputeOf,
  isWhollyRefunded,
  type ReadCharge,
  type ReadDispute,
  type ReadRefund,
} from '#/domain/charge-after-sale.ts'

const aRow = (state: 'authorized' | 'captured' | 'refunded', releaseRequested = false): Authorization => ({
  orderApiKey: 'o1',
  releaseRequested,
  ageSeconds: 3,
  amount: cents(1_000),
  token: 'tok_1',
  state,
  processorId: 'pi_1',
})
const aRefund = (amount: number, state: ReadRefund['state'] = 'done'): ReadRefund => ({
  id: `re_${amount}`,
  key: null,
  amount: cents(amount),
  state,
  at: 1,
})
const aCharge = (refunds: ReadRefund[], captured = 1_000) => ({
  id: 'pi_1',
  reference: 'o1',
  captured: cents(captured),
  refunds,
  disputes: [],
})
const aDispute = (id: string, state: ReadDispute['state'], at: number): ReadDispute => ({
  id,
  state,
  amount: cents(1_000),
  reason: 'fraudulent',
  at,
  respondBy: null,
})

test.each([
  ['the open one, also when a later one is closed', ['open', 1, 'lost', 2], 'first'],
  ['the latest of closed ones', ['won', 1, 'lost', 2], 'second'],
] as const)('of several disputes, an order shows %s', (_, [one, oneAt, other, otherAt], shown) => {
  const disputes = [aDispute('first', one, oneAt), aDispute('second', other, otherAt)]
  expect(disputeOf(disputes)?.id).toBe(shown)
  expect(disputeOf(disputes.toReversed())?.id).toBe(shown)
})

test('an order without disputes shows none', () => {
  expect(disputeOf([])).toBeNull()
})

test.each<[boolean, string, Authorization, ReadCharge]>([
  [true, 'with done refunds of its amount', aRow('captured'), aCharge([aRefund(400), aRefund(600)])],
  [true, 'whose capture has no known outcome', aRow('authorized'), aCharge([aRefund(1_000)])],
  [false, 'with a remaining cent', aRow('captured'), aCharge([aRefund(400), aRefund(599)])],
  [false, 'with a pending refund', aRow('captured'), aCharge([aRefund(400), aRefund(600, 'pending')])],
  [false, 'with a failed refund', aRow('captured'), aCharge([aRefund(1_000, 'failed')])],
  [false, 'whose release refunds the rest', aRow('captured', true), aCharge([aRefund(1_000)])],
  [false, 'that is not captured at the processor', aRow('captured'), aCharge([], 0)],
  [false, 'that is refunded already', aRow('refunded'), aCharge([aRefund(1_000)])],
])('isWhollyRefunded is %s for a charge %s', (expected, _, row, charge) => {
  expect(isWhollyRefunded(row, charge)).toBe(expected)
})
