import { expect, test } from 'vitest'
import { isBeatDue } from '#/beat.ts'

const due = (passedMs: number, isUrgent = false) =>
  isBeatDue({ lastMs: 1_000_000, isUrgent }, 1_000_000 + passedMs)

test('a beat is due 15 seconds after the previous one', () => {
  expect([due(0), due(14_999), due(15_000)]).toEqual([false, false, true])
})

test('an urgent beat is due 3 seconds after the previous one', () => {
  expect([due(2_999, true), due(3_000, true)]).toEqual([false, true])
})

test('a beat is due at once after the device slept or its clock was set back', () => {
  expect([due(8 * 3_600_000), due(-1)]).toEqual([true, true])
})
