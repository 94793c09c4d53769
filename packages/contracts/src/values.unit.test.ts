import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ApiKey,
  cents,
  emailAddress,
  filledText,
  formatAmount,
  isMoney,
  Money,
  moneyUpTo,
  toCents,
  toMoney,
} from '#/values.ts'
import { z } from 'zod'

test('every amount of cents survives the conversion to JSON and back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), (amount) => {
      const wire = JSON.parse(JSON.stringify(toMoney(cents(amount)))) as number
      expect(toCents(wire)).toBe(amount)
      expect(Money.safeParse(wire).success).toBe(true)
    }),
  )
})

test.each([10.755, 0.001, 1e300, Infinity, NaN])('refuses %s as an amount of money', (amount) => {
  expect(toCents(amount)).toBeNull()
  expect(Money.safeParse(amount).success).toBe(false)
})

test('an amount has two decimals', () => {
  const amounts = [0, 5, -5, 100, -12_345].map((amount) => formatAmount(cents(amount)))
  expect(amounts).toEqual(['0.00', '0.05', '-0.05', '1.00', '-123.45'])
})

test('an amount up to a limit is not negative, and includes 0 and the limit', () => {
  const accepted = [-0.01, 0, 10_000, 10_000.01].map((amount) => moneyUpTo(10_000).safeParse(amount).success)
  expect(accepted).toEqual([false, true, true, false])
})

test('isMoney recognizes a money schema with further checks', () => {
  expect(isMoney(Money.min(0).describe('A price.'))).toBe(true)
  expect(isMoney(z.number())).toBe(false)
})

test.each([
  ['9511054', true],
  ['a.b_c~d-e', true],
  ['x'.repeat(100), true],
  ['', false],
  ['x'.repeat(101), false],
  ['a/b', false],
  ['a b', false],
])('%s is a valid apiKey: %s', (text, isValid) => {
  expect(ApiKey.safeParse(text).success).toBe(isValid)
})

test('masks card numbers in texts, and not in the e-mail address with which a user signs in', () => {
  expect(filledText(100).parse('pay with 4242 4242 4242 4242')).toBe('pay with **** **** **** 4242')
  expect(emailAddress().parse('4242424242424242@example.org')).toBe('4242424242424242@example.org')
})
