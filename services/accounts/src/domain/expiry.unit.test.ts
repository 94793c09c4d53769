import { expect, test } from 'vitest'
import { hasExpired } from '@platter/contracts'
import { expiryFaults } from '#/domain/expiry.ts'

const card = (month: string, year: string) => ({ expirationMonth: month, expirationYear: year })

test.each([
  ['in its month', card('11', '26'), '2026-11-15T12:00:00Z'],
  ['on the last evening in Honolulu', card('11', '26'), '2026-12-01T09:59:59Z'],
  ['to the last moment anywhere', card('11', '26'), '2026-12-01T11:59:59.999Z'],
  ['to the end of the year, when that is its month', card('12', '26'), '2027-01-01T11:59:59Z'],
  ['on the 29th of a leap February', card('02', '28'), '2028-02-29T23:59:59Z'],
  ['in 2099, when that is its year', card('01', '99'), '2099-01-31T00:00:00Z'],
])('a card is good %s', (_when, it, now) => {
  expect(hasExpired(it, Date.parse(now))).toBe(false)
})

test.each([
  ['when its month is over everywhere', card('11', '26'), '2026-12-01T12:00:00Z'],
  ['when its December is over everywhere', card('12', '26'), '2027-01-01T12:00:00Z'],
  ['when its year was 2000, not 2100', card('01', '00'), '2026-11-20T00:00:00Z'],
])('a card has expired %s', (_when, it, now) => {
  expect(hasExpired(it, Date.parse(now))).toBe(true)
})

test('402 card-expired names month and year', () => {
  const faults = expiryFaults(card('10', '26'), Date.parse('2026-11-20T00:00:00Z'))
  expect(faults.map(({ pointer, code }) => [pointer, code])).toEqual([
    ['/expirationMonth', 'card-expired'],
    ['/expirationYear', 'card-expired'],
  ])
  expect(faults[0]?.detail).toBe('The card expired at the end of 10/26.')
})

test('a good card has no faults', () => {
  expect(expiryFaults(card('11', '26'), Date.parse('2026-11-20T00:00:00Z'))).toEqual([])
})
