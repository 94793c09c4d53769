import { expect, test } from 'vitest'
import { ratioOf, sumRounds } from './measure.ts'

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
