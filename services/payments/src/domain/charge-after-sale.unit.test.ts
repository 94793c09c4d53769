import { cents } from '@platter/contracts'
import { expect, test } from 'vitest'
import { disputeOf, type ReadDispute } from '#/domain/charge-after-sale.ts'

/** A dispute of 1, 10 or 100 cents, so that each sum shows its parts. `respondBy` is one more than the amount. */
const aDispute = (state: ReadDispute['state'], amount: number): ReadDispute => ({
  id: `dp_${amount}`,
  state,
  amount: cents(amount),
  reason: 'fraudulent',
  at: 0,
  respondBy: state === 'open' ? amount + 1 : null,
})

test.each([
  ['the open ones', ['lost', 'open', 'open'], { state: 'open', amount: 110, respondBy: 11, lost: 1 }],
  ['the lost ones, if none is open', ['won', 'lost', 'lost'], { state: 'lost', amount: 110, lost: 110 }],
  ['a lost one, whatever was won later', ['lost', 'won', 'won'], { state: 'lost', amount: 1 }],
  ['the won ones, if no other remains', ['won', 'won', 'won'], { state: 'won', amount: 111, lost: 0 }],
] as const)('of several disputes, an order has the sum of %s, and what was lost', (_, states, expected) => {
  const disputes = states.map((state, at) => aDispute(state, 10 ** at))
  expect(disputeOf(disputes)).toMatchObject(expected)
  expect(disputeOf(disputes.toReversed())).toMatchObject(expected)
})

test('a lost dispute prevents refunds during a later inquiry, and a won one does not', () => {
  const inquiry = { ...aDispute('open', 1), isRefundable: true }
  const isRefundable = (state: ReadDispute['state']) =>
    disputeOf([{ ...aDispute(state, 10), isRefundable: false }, inquiry])?.isRefundable
  expect([isRefundable('lost'), isRefundable('won')]).toEqual([false, true])
})

test('an order without disputes has none', () => {
  expect(disputeOf([])).toBeNull()
})
