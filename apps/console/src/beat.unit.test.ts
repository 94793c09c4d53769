import { expect, test } from 'vitest'
import { isBeatDue, nextStep, type Stream } from '#/beat.ts'

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

const stepOf = (state: Stream['state'], passedMs: number, failures = 0) =>
  nextStep({ state, lastMs: 1_000_000, failures }, 1_000_000 + passedMs)

test('a complete stream is opened again after two minutes without an event, or when the clock was set back', () => {
  expect([stepOf('complete', 119_999), stepOf('complete', 120_000), stepOf('complete', -1)]).toEqual([
    null,
    'open',
    'open',
  ])
})

test('a stream that is not complete is dropped after eight seconds without an event', () => {
  expect([stepOf('opening', 7_999), stepOf('opening', 8_000)]).toEqual([null, 'drop'])
})

test.each([
  [1, 500],
  [2, 1_000],
  [3, 2_000],
  [4, 4_000],
  [5, 4_000],
])('after %i failures in a row a stream is opened after %i ms', (failures, delayMs) => {
  expect([stepOf('waiting', delayMs - 1, failures), stepOf('waiting', delayMs, failures)]).toEqual([
    null,
    'open',
  ])
})
