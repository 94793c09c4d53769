import { expect, test } from 'vitest'
import { cardTimes } from '#/card-times.ts'
import { requestTimes } from '#/request-times.ts'

test('a removed card is detached after the last possible authorization of an earlier order', () => {
  const { longestSaga, challenge, detachment } = cardTimes
  // The bank may request a challenge at the end of the longest saga.
  const longestUse = requestTimes.deadline + longestSaga + challenge
  // The margin of 20 % is for late sweepers.
  expect(1.2 * longestUse).toBeLessThan(detachment)
})
