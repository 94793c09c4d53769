import { expect, test } from 'vitest'
import { isVisible, newOrder, resultOf, staysVisible, type OrderOutcome } from '#/domain/order-state.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const placed = newOrder('o1', pricedOrder(), 1_790_000_000)
const refusal = { code: 'card-declined', detail: 'The card was declined.' } as const
const unseen = { isReturned: false, isRead: false }
const returned = { ...unseen, isReturned: true }
const read = { ...unseen, isRead: true }

test.each<[outcome: OrderOutcome, marks: typeof unseen, isNow: boolean, stays: boolean]>([
  ['pending', unseen, true, false],
  ['pending', returned, true, true],
  ['pending', read, true, true],
  ['transmitted', unseen, true, true],
  ['failed', unseen, false, true],
  ['failed', returned, true, true],
  ['failed', read, true, true],
])(
  'a %s order with the marks %o is visible: %s, and stays so if it fails: %s',
  (outcome, marks, isNow, stays) => {
    expect([isVisible({ outcome, ...marks }), staysVisible({ outcome, ...marks })]).toEqual([isNow, stays])
  },
)

test('a failed order is a refusal, unless its response was sent before: then the client receives the order', () => {
  const failed = { ...placed, outcome: 'failed' } as const
  expect(resultOf(placed, null)).toEqual({ kind: 'pending', order: placed })
  expect(resultOf(failed, refusal)).toEqual({ kind: 'failed', refusal })
  expect(resultOf({ ...failed, isReturned: true }, refusal).kind).toBe('visible')
  expect(resultOf({ ...placed, outcome: 'transmitted' }, null).kind).toBe('visible')
  expect(() => resultOf(failed, null)).toThrow('order o1 failed without a refusal')
})
