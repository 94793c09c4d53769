import { cents } from '@platter/contracts'
import { expect, test } from 'vitest'
import { checkTip } from './order.ts'

test('a tip has at most two decimals, is not negative, and is for delivery only', () => {
  expect(checkTip(3, 'delivery', cents(1_000))).toEqual({ tip: 300 })
  expect(checkTip(0.07, 'delivery', cents(1_000))).toEqual({ tip: 7 })
  expect(checkTip(0, 'pickup', cents(1_000))).toEqual({ tip: 0 })
  for (const [tip, method] of [
    [1.005, 'delivery'],
    [-0.01, 'delivery'],
    [0.5, 'pickup'],
    [1e300, 'delivery'],
  ] as const) {
    expect(checkTip(tip, method, cents(1_000))).toMatchObject({
      fault: { pointer: '/tip', code: 'tip-out-of-range' },
    })
  }
})

test('a tip is at most the larger of 50.00 and the subtotal', () => {
  expect(checkTip(50, 'delivery', cents(1_000))).toEqual({ tip: 5_000 })
  expect(checkTip(50.01, 'delivery', cents(1_000))).toHaveProperty('fault')
  expect(checkTip(80, 'delivery', cents(8_000))).toEqual({ tip: 8_000 })
  expect(checkTip(80.01, 'delivery', cents(8_000))).toHaveProperty('fault')
})
