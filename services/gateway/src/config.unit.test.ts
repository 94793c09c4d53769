import { requestTimes } from '@platter/contracts'
import { expect, test } from 'vitest'
import { Config } from '#/config.ts'

const { REQUEST_DEADLINE_MS } = Config.shape

test('REQUEST_DEADLINE_MS is 10 s by default, at most 10 s, and at least 3 s', () => {
  expect(REQUEST_DEADLINE_MS.parse(undefined)).toBe(requestTimes.deadline)
  expect(REQUEST_DEADLINE_MS.parse('3000')).toBeGreaterThan(requestTimes.relay + requestTimes.response)
  expect(REQUEST_DEADLINE_MS.safeParse('2999').success).toBe(false)
  expect(REQUEST_DEADLINE_MS.safeParse(`${requestTimes.deadline + 1}`).success).toBe(false)
})
