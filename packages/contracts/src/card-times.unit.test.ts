import { expect, test } from 'vitest'
import { cardTimes } from '#/card-times.ts'
import { requestTimes } from '#/request-times.ts'

test('a removed card is detached after the last possible authorization of an earlier order', () => {
  const { longestSaga, challenge, detachment } = cardTimes
  // The bank may ask at the end of the saga's time.
  const longestUse = requestTimes.deadline + longestSaga + challenge
  // For sweepers that are behind.
  expect(1.2 * longestUse).toBeLessThan(detachment)
})
