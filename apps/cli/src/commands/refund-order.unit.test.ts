import { expect, test } from 'vitest'
import { item, money } from '#/commands/refund-order.ts'

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
