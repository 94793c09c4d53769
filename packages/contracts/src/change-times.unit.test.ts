import { expect, test } from 'vitest'
import { changeTimes } from '#/change-times.ts'

const { endedOverrides, menuVersion, sharedResponse, accessKey, importedKeys, streamKeys } = changeTimes

/** A repeated work waits 20 % longer at most. */
const LONGEST = 1.2
/** For the queries and calls themselves, which take 5 ms on a quiet machine. */
const WORK_MS = 150

test('a changed menu is seen within two seconds, also when an availability override ends by itself', () => {
  expect(LONGEST * endedOverrides + menuVersion + sharedResponse).toBeLessThan(2_000 - WORK_MS)
})

test('a revoked access key lets nobody in after a second', () => {
  expect(accessKey).toBeLessThanOrEqual(1_000)
})

test('an imported access key lets in within two seconds', () => {
  expect(importedKeys).toBeLessThan(2_000 - WORK_MS)
})

test('a stream whose access key is revoked ends within two seconds', () => {
  expect(accessKey + LONGEST * streamKeys).toBeLessThan(2_000 - WORK_MS)
})
