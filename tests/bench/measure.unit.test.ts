import { expect, test } from 'vitest'
import { ratioOf, sumRounds } from './measure.ts'

test('a disturbance that slows both an operation and its limits does not change their ratio', () => {
  const limits = sumRounds([
    [0.5, 1, 0.25],
    [0.5, 1, 0.25],
  ])
  expect(ratioOf([2, 4, 1], limits)).toEqual({ value: 2, noise: 0.03, quartiles: '2.00–2.00' })
})

test('the noise of a ratio is half the range of the rounds', () => {
  expect(ratioOf([1.6, 2, 2.4], [1, 1, 1])).toMatchObject({ value: 2, noise: expect.closeTo(0.2) as number })
})
