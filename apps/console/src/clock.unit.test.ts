import { afterEach, expect, test, vi } from 'vitest'
import { nextTime, now } from '#/clock.ts'

afterEach(() => {
  now.value = Date.now()
})

/** Returns the next 17:30 after a time, as the time of a device in Wisconsin. */
function next1730(after: string): string {
  vi.stubEnv('TZ', 'America/Chicago')
  now.value = Date.parse(after)
  return new Date(nextTime('17:30') * 1_000).toISOString()
}

test('the next 17:30 is of the same day before it, and of the next day from then on', () => {
  expect(next1730('2026-06-01T17:29:00-05:00')).toBe('2026-06-01T22:30:00.000Z')
  expect(next1730('2026-06-01T17:30:00-05:00')).toBe('2026-06-02T22:30:00.000Z')
})

test('the next 17:30 is at 17:30 also when daylight saving time begins or ends in the night', () => {
  expect(next1730('2026-03-07T20:00:00-06:00')).toBe('2026-03-08T22:30:00.000Z')
  expect(next1730('2026-10-31T20:00:00-05:00')).toBe('2026-11-01T23:30:00.000Z')
})
