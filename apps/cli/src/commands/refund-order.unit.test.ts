import { RefundOrder, GetOrderStory } from '@platter/contracts'
import { expect, test } from 'vitest'
import { item, linesOf, money } from '#/commands/refund-order.ts'

test.each([
  ['2.50', 2.5],
  ['12', 12],
])('reads the amount %s', (text, amount) => {
  expect(money(text)).toBe(amount)
})

test.each(['0', '-1', '1.234', '1,50', 'all', ''])('refuses the amount "%s"', (text) => {
  expect(() => money(text)).toThrow(/an amount/)
})

test('collects repeated items, each with or without a partial amount', () => {
  expect(item('3=1.25', item('0'))).toEqual([{ index: 0 }, { index: 3, amount: 1.25 }])
})

test.each(['garlic', '-1', '1=', '1=x'])('refuses the item "%s"', (text) => {
  expect(() => item(text)).toThrow(/it must be/)
})

test('the lines before the confirmation count pending refunds, and not failed ones', () => {
  const { order } = GetOrderStory.examples.response
  const refund = { ...RefundOrder.examples.response, amount: 2.5 }
  const refunds = [
    { ...refund, state: 'PENDING' as const },
    { ...refund, state: 'FAILED' as const },
  ]
  const [line] = linesOf({ ...order, refunds, refundedTotal: 0 }, refund)
  expect(line).toMatch(/, 2\.50 of it refunded before$/)
})
