/** "Monday" … "Sunday" to ranges like "11:00 AM - 3:00 AM"; a day that is not named is a day off. */
export type Hours = Readonly<Record<string, readonly string[]>>

export const WEEK = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
const RANGE = /^(\d+):(\d+) ([AP])M - (\d+):(\d+) ([AP])M$/

/**
 * Whether somebody is there at that moment (epoch, ms). A range belongs to the day it begins on and may
 * pass midnight; with equal ends it lasts 24 hours. Its ends are what the wall clock shows: an end that the
 * clock skips in spring has come when the clock was put on, and one that it shows twice in autumn comes once.
 */
export function isOpen(hours: Hours, timezone: string, at: number): boolean {
  const minutes = wallMinutes(timezone, at)
  const day = Math.floor(minutes / DAY_MINUTES)
  const minute = minutes - day * DAY_MINUTES
  return covers(hours[weekday(day)], minute) || covers(hours[weekday(day - 1)], minute + DAY_MINUTES)
}

/** Whether it is open at that moment, and not paused. */
export const takesOrders = (
  { hours, timezone, pausedUntil }: { hours: Hours; timezone: string; pausedUntil: number | null },
  at: number,
): boolean => pausedUntil === null && isOpen(hours, timezone, at)

/** The moment (epoch, s) as a clock on the wall shows it: "6:45 PM CST". */
export const wallClock = (timezone: string, at: number): string =>
  new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  })
    .format(at * 1_000)
    // ICU puts a narrow no-break space before AM and PM.
    .replaceAll('\u202F', ' ')

/** Of a day counted from 1 January 1970, which was a Thursday. */
const weekday = (day: number): string => WEEK[(((day + 3) % 7) + 7) % 7] ?? ''

const covers = (ranges: readonly string[] = [], minute: number): boolean =>
  ranges.some((range) => {
    const [start, end] = ends(range)
    return start <= minute && minute < end
  })

/** Minutes from the midnight that the range's day begins with; the end is the later one. */
function ends(range: string): readonly [start: number, end: number] {
  const [, startHour, startMinute, startHalf, endHour, endMinute, endHalf] = RANGE.exec(range) ?? []
  const start = minutesOf(startHour, startMinute, startHalf)
  const end = minutesOf(endHour, endMinute, endHalf)
  return [start, end > start ? end : end + DAY_MINUTES]
}

const minutesOf = (hour: string | undefined, minute: string | undefined, half: string | undefined): number =>
  ((Number(hour) % 12) + (half === 'P' ? 12 : 0)) * 60 + Number(minute)

// The clock of a time zone ---------------------------------------------------------------------------------

type Zone = { format: Intl.DateTimeFormat; minute: number; wallMinutes: number }
/** There are some 600 names of time zones; a formatter costs 30 µs to make and 2 µs to use. */
const zones = new Map<string, Zone>()

/** What the wall clock shows, in whole minutes since 1970; found out once a minute and zone. */
function wallMinutes(timezone: string, at: number): number {
  const minute = Math.floor(at / MINUTE_MS)
  let zone = zones.get(timezone)
  if (!zone) {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' })
    zone = { format, minute: Number.NaN, wallMinutes: 0 }
    zones.set(timezone, zone)
  }
  if (zone.minute !== minute) {
    zone.minute = minute
    zone.wallMinutes = Math.floor(steadyWallTime(zone.format, at) / MINUTE_MS)
  }
  return zone.wallMinutes
}

/** No clock is put back by more, or less than this before it is put back again. */
const LONGEST_REPEAT_MS = 3 * 60 * MINUTE_MS

/**
 * The wall clock in milliseconds since 1970, except that it stands still instead of going back: between the
 * two showings of an hour everything that it has shown once is over.
 */
function steadyWallTime(format: Intl.DateTimeFormat, at: number): number {
  const offset = offsetAt(format, at)
  const before = offsetAt(format, at - LONGEST_REPEAT_MS)
  if (before <= offset) return at + offset
  let [early, late] = [at - LONGEST_REPEAT_MS, at]
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (offsetAt(format, middle) === before) early = middle
    else late = middle
  }
  return Math.max(at + offset, late + before - 1)
}

/** How far the zone's clock is ahead of UTC, in ms. */
function offsetAt(format: Intl.DateTimeFormat, at: number): number {
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(at)) ?? []
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS
  return sign === '-' ? -size : size
}
