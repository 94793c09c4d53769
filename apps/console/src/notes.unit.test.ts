import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addNote, notes } from '#/notes.ts'

beforeEach(() => {
  vi.useFakeTimers()
  notes.value = []
})
afterEach(() => vi.useRealTimers())

const texts = () => notes.value.map(({ text }) => text)

test('an urgent note stays until it is dismissed, however many notes follow', () => {
  addNote('Order 1 was cancelled.', 'urgent')
  for (const id of [2, 3, 4, 5]) addNote(`Order ${id} was cancelled.`, 'urgent')
  for (const id of [6, 7, 8, 9]) addNote(`No response for order ${id}.`, 'error')
  vi.advanceTimersByTime(3_600_000)
  expect(texts()).toEqual([1, 2, 3, 4, 5].map((id) => `Order ${id} was cancelled.`))
})

test('of all other notes, the newest three are shown', () => {
  for (const id of [1, 2, 3, 4]) addNote(`Order ${id} was moved.`)
  expect(texts()).toEqual([2, 3, 4].map((id) => `Order ${id} was moved.`))
})

test('a repeated note replaces the earlier one', () => {
  for (const text of ['No response.', 'Order 1 was moved.', 'No response.']) addNote(text)
  expect(texts()).toEqual(['Order 1 was moved.', 'No response.'])
})
