import { expect, test } from 'vitest'
import { changeTimes } from '#/change-times.ts'

const { endedOverrides, menuVersion, sharedResponse, accessKey, streamKeys } = changeTimes

/** `repeat` waits at most 20 % longer than its interval. */
const LONGEST = 1.2
/** For the queries and requests, which take 5 ms on an idle machine. */
const WORK_MS = 150

test('a changed menu takes effect within two seconds, also when an availability override expires', () => {
  expect(LONGEST * endedOverrides + menuVersion + sharedResponse).toBeLessThan(2_000 - WORK_MS)
})

test('a revoked access key is rejected after one second, and an imported one is accepted', () => {
  expect(accessKey).toBeLessThanOrEqual(1_000)
})

test('a stream whose access key is revoked ends within two seconds', () => {
  expect(accessKey + LONGEST * streamKeys).toBeLessThan(2_000 - WORK_MS)
})
