import { WEEK } from '@platter/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isOpen, opensAt, type Hours } from '#/domain/hours.ts'

/*
 * Compares hours around clock changes with an oracle that shares no code with `isOpen`. It reads each minute of the local clock from a
 * calendar instead of UTC offsets. A range begins and ends when the local clock first shows its ends, or a later time.
 */

const MINUTE_MS = 60_000
const DAY = 24 * 60

/** Clock changes in UTC: forward or back, by 30, 60 and 120 minutes, also at midnight, and a zone without changes. */
const CHANGES = [
  ['America/New_York', '2026-03-08T07:00Z'],
  ['US/Pacific', '2026-11-01T09:00Z'],
  ['America/Havana', '2026-03-08T05:00Z'],
  ['Africa/Cairo', '2026-10-29T21:00Z'],
  ['America/Santiago', '2026-04-05T03:00Z'],
  ['Europe/Dublin', '2026-10-25T01:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['Antarctica/Troll', '2026-10-25T01:00Z'],
  ['Asia/Kathmandu', '2028-02-28T18:15Z'],
] as const

const clocks = new Map(
  CHANGES.map(([timeZone]) => [
    timeZone,
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    }),
  ]),
)

type Zone = (typeof CHANGES)[number][0]
const known = new Map<string, number>()

/** Returns the minutes since 1970 that the local clock shows. */
function shown(timeZone: Zone, minute: number): number {
  const key = `${timeZone} ${minute}`
  const local = known.get(key) ?? readClock(timeZone, minute)
  known.set(key, local)
  return local
}

function readClock(timeZone: Zone, minute: number): number {
  const parts = clocks.get(timeZone)!.formatToParts(minute * MINUTE_MS)
  const [month, day, year, hour, minutes] = parts
    .filter(({ type }) => type !== 'literal')
    .map(({ value }) => Number(value))
  return Date.UTC(year!, month! - 1, day, hour, minutes) / MINUTE_MS
}

type Range = { weekday: number; start: number; length: number }

function isOpenByClock(ranges: readonly Range[], timeZone: Zone, minute: number): boolean {
  let latest = -Infinity
  for (let earlier = minute - 4 * 60; earlier <= minute; earlier += 1)
    latest = Math.max(latest, shown(timeZone, earlier))
  const today = Math.floor(latest / DAY)
  return [today - 1, today].some((day) =>
    ranges.some(({ weekday, start, length }) => {
      const began = day * DAY + start
      // 1 January 1970 was a Thursday.
      return weekday === (day + 3) % 7 && began <= latest && latest < began + length
    }),
  )
}

const text = (minute: number) =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', hour: 'numeric', minute: '2-digit' })
    .format((minute % DAY) * MINUTE_MS)
    .replaceAll('\u202F', ' ')

const hoursOf = (ranges: readonly Range[]): Hours =>
  Object.fromEntries(
    WEEK.map((name, weekday) => [
      name,
      ranges
        .filter((range) => range.weekday === weekday)
        .map(({ start, length }) => `${text(start)} - ${text(start + length)}`),
    ]),
  )

/** No clock skips a whole range: each is longer than two hours. Ends at whole quarters are likely. */
const aRange = fc.record({
  weekday: fc.nat(6),
  start: fc.oneof(
    fc.nat(16).map((quarter) => quarter * 15),
    fc.nat(DAY - 1),
  ),
  length: fc.oneof(
    fc.integer({ min: 9, max: 96 }).map((quarters) => quarters * 15),
    fc.integer({ min: 121, max: DAY }),
  ),
})

test('isOpen and opensAt agree with a local clock that is read minute by minute', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CHANGES),
      fc.array(aRange, { minLength: 1, maxLength: 14 }),
      fc.integer({ min: -300, max: 300 }),
      ([timezone, change], ranges, distance) => {
        const minute = Date.parse(change) / MINUTE_MS + distance
        const hours = hoursOf(ranges)
        const open = isOpen(hours, timezone, minute * MINUTE_MS)
        expect(open).toBe(isOpenByClock(ranges, timezone, minute))
        const next = opensAt({ hours, timezone, pausedUntil: null, isAttended: true }, minute * MINUTE_MS)
        expect(next === null).toBe(open)
        if (next === null) return
        expect(isOpenByClock(ranges, timezone, next / 60)).toBe(true)
        expect(isOpenByClock(ranges, timezone, next / 60 - 1)).toBe(false)
      },
    ),
    { numRuns: 200 },
  )
})
