import { requestTimes } from '@platter/contracts'
import { expect, test } from 'vitest'
import { Config } from './config.ts'

const { ANSWER_WITHIN_MS } = Config.shape

test('ANSWER_WITHIN_MS cannot be so long that the gateway gives up an accepted order', () => {
  const most = requestTimes.gateway - requestTimes.reserve
  expect(ANSWER_WITHIN_MS.parse(undefined)).toBe(requestTimes.answer)
  expect(ANSWER_WITHIN_MS.parse(`${most}`)).toBe(most)
  expect(ANSWER_WITHIN_MS.safeParse(`${most + 1}`).success).toBe(false)
})
