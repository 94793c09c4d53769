import { expect, test } from 'vitest'
import { formatStatuses, tally } from '../support/statistics.ts'
import { failuresOf, ratioOf, sumRounds } from './measure.ts'

test('a disturbance that slows both an operation and its limits does not change their ratio', () => {
  const limits = sumRounds([
    [0.5, 1, 0.25],
    [0.5, 1, 0.25],
  ])
  expect(ratioOf([2, 4, 1], limits)).toEqual({ value: 2, quartiles: '2.00–2.00' })
})

test('a ratio is the median of the rounds, with the quartiles of their range', () => {
  const others = [1, 1, 1, 1, 1]
  expect(ratioOf([9, 1.6, 2, 2.4, 0.1], others)).toEqual({ value: 2, quartiles: '1.60–2.40' })
})

test('failed requests are known by their statuses', () => {
  const outcome = { sent: 6, seconds: 1, lackingRetryAfter: 0, failure: '503 overloaded', lateMs: [] }
  const byStatus = { 0: [15_000], 200: [4, 5, 6], 503: [2, 2] }
  const failed = failuresOf({ name: 'menu', expects: 200 }, { ...outcome, byStatus })
  expect(formatStatuses(tally(failed))).toBe('1 × 0, 2 × 503')
})
