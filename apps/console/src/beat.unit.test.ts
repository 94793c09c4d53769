import { expect, test } from 'vitest'
import { isBeatDue } from '#/beat.ts'

const due = (passedMs: number, isUrgent = false) =>
  isBeatDue({ lastMs: 1_000_000, isUrgent }, 1_000_000 + passedMs)

test('a beat is due every 15 seconds, which is five within the 75 seconds of a sighting', () => {
  expect([due(0), due(14_999), due(15_000)]).toEqual([false, false, true])
})

test('without a connection, or before the restaurant is attended, it is due after 3 seconds', () => {
  expect([due(2_999, true), due(3_000, true)]).toEqual([false, true])
})

test('it is due at once when the device slept, or when its clock was set back', () => {
  expect([due(8 * 3_600_000), due(-1)]).toEqual([true, true])
})
