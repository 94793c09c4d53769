import { epochSeconds, WEEK } from '@platter/contracts'

/** Ranges like "11:00 AM - 3:00 AM" by day, "Monday" to "Sunday". The restaurant is closed on an absent day. */
export type Hours = Readonly<Record<string, readonly string[]>>

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
const RANGE = /^(\d+):(\d+) ([AP])M - (\d+):(\d+) ([AP])M$/

/**
 * Returns whether a range contains `at` (epoch, ms). A range belongs to the day on which it begins and may pass midnight; with
 * equal ends it lasts 24 hours. Its ends are wall-clock times. An end that is skipped in spring takes effect at the change of the
 * clock. An end that occurs twice in autumn takes effect at its first occurrence.
 */
export function isOpen(hours: Hours, timezone: string, at: number): boolean {
  const minutes = wallMinutes(timezone, at)
  const day = Math.floor(minutes / DAY_MINUTES)
  const minute = minutes - day * DAY_MINUTES
  return covers(hours[weekday(day)], minute) || covers(hours[weekday(day - 1)], minute + DAY_MINUTES)
}

/**
 * `pausedUntil` (epoch, s) of a pause without an automatic end: 31 December 9999. Replicas of an earlier version read it as the end
 * of a long pause; they cannot read the timestamp `infinity`.
 */
export const UNTIL_RESUMED = 253_402_214_400

/** Returns the pause as the restaurant reads it. Its end is null without an automatic end. */
export const pauseRecord = (pausedUntil: number | null): { paused: boolean; pausedUntil: number | null } => ({
  paused: pausedUntil !== null,
  pausedUntil: pausedUntil === UNTIL_RESUMED ? null : pausedUntil,
})

export type Opening = { hours: Hours; timezone: string; pausedUntil: number | null; isAttended: boolean }
type ClosedReason = 'hours' | 'paused' | 'unattended'

/** Returns the reason why the restaurant takes no orders at `at` (epoch, ms); null if it takes orders. */
export function closedReason(opening: Opening, at: number): ClosedReason | null {
  if (!isOpen(opening.hours, opening.timezone, at)) return 'hours'
  if (opening.pausedUntil !== null) return 'paused'
  return opening.isAttended ? null : 'unattended'
}

/** Returns whether the restaurant takes orders at `at` (epoch, ms): it is open, attended and not paused. */
export const takesOrders = (opening: Opening, at: number): boolean => closedReason(opening, at) === null

/** Returns the time (epoch, s) at which the restaurant opens again after `at` (epoch, ms); null if it is unknown. */
export function opensAt(opening: Opening, at: number): number | null {
  const { hours, timezone, pausedUntil } = opening
  const reason = closedReason(opening, at)
  if (reason === null || reason === 'unattended' || pausedUntil === UNTIL_RESUMED) return null
  const resumed = Math.max(at, (pausedUntil ?? 0) * 1_000)
  if (isOpen(hours, timezone, resumed)) return epochSeconds(resumed)
  const next = nextOpening(hours, timezone, resumed)
  return next === null ? null : next / 1_000
}

type Known = { timezone: string; from: number; next: number | null; until: number }
/**
 * The last result for the hours of each cached restaurant. A result is valid until that opening. 100 closed restaurants take 0.5 ms with
 * it, and 3.1 ms without.
 */
const openings = new WeakMap<Hours, Known>()
const WEEK_MS = 7 * DAY_MINUTES * MINUTE_MS

/** Returns the next beginning of a range after `at` (epoch, ms), within a week. */
function nextOpening(hours: Hours, timezone: string, at: number): number | null {
  const known = openings.get(hours)
  if (known?.timezone === timezone && known.from <= at && at < known.until) return known.next
  const next = computeOpening(hours, timezone, at)
  openings.set(hours, { timezone, from: at, next, until: next ?? at + WEEK_MS })
  return next
}

function computeOpening(hours: Hours, timezone: string, at: number): number | null {
  const now = wallMinutes(timezone, at)
  const today = Math.floor(now / DAY_MINUTES)
  const starts = Array.from({ length: 8 }, (_, index) => today + index).flatMap((day) =>
    (hours[weekday(day)] ?? []).map((range) => day * DAY_MINUTES + minutesOfRange(range)[0]),
  )
  const start = Math.min(...starts.filter((minute) => minute > now))
  if (start === Infinity) return null
  const estimate = Math.floor(at / MINUTE_MS) * MINUTE_MS + (start - now) * MINUTE_MS
  // The clock may change between now and the opening.
  const opening = estimate + (start - wallMinutes(timezone, estimate)) * MINUTE_MS
  if (wallMinutes(timezone, opening) === start) return opening
  // The clock skips the start, or an hour before it occurs twice.
  const minute = firstAfter(
    Math.floor(at / MINUTE_MS),
    (estimate + LONGEST_REPEAT_MS) / MINUTE_MS,
    (candidate) => wallMinutes(timezone, candidate * MINUTE_MS) >= start,
  )
  const begins = minute * MINUTE_MS
  // A range within the skipped hour does not occur.
  return isOpen(hours, timezone, begins) ? begins : computeOpening(hours, timezone, begins)
}

/** Formats a time (epoch, s) by the local clock: "6:45 PM CST". */
export const wallClock = (timezone: string, at: number): string =>
  new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  })
    .format(at * 1_000)
    // ICU separates AM and PM with a narrow no-break space.
    .replaceAll('\u202F', ' ')

/** `day` counts from 1 January 1970, which was a Thursday. */
const weekday = (day: number): string => WEEK[(((day + 3) % 7) + 7) % 7] ?? ''

const covers = (ranges: readonly string[] = [], minute: number): boolean =>
  ranges.some((range) => {
    const [start, end] = minutesOfRange(range)
    return start <= minute && minute < end
  })

/** Minutes since the midnight of the day on which the range begins; the end is greater than the start. */
function minutesOfRange(range: string): readonly [start: number, end: number] {
  const [, startHour, startMinute, startHalf, endHour, endMinute, endHalf] = RANGE.exec(range) ?? []
  const start = minutesOf(startHour, startMinute, startHalf)
  const end = minutesOf(endHour, endMinute, endHalf)
  return [start, end > start ? end : end + DAY_MINUTES]
}

const minutesOf = (hour: string | undefined, minute: string | undefined, half: string | undefined): number =>
  ((Number(hour) % 12) + (half === 'P' ? 12 : 0)) * 60 + Number(minute)

// The clock of a time zone ---------------------------------------------------------------------------------

type Zone = { format: Intl.DateTimeFormat; minute: number; wallMinutes: number }
/** At most about 600 entries, one per time zone. Creating a formatter takes 30 µs, using it 2 µs. */
const zones = new Map<string, Zone>()

/** Returns the wall-clock time in whole minutes since 1970; computed once per minute and zone. */
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

/** No clock is set back by more than this, or twice within this time. */
const LONGEST_REPEAT_MS = 3 * 60 * MINUTE_MS

/**
 * Returns the wall-clock time in milliseconds since 1970. While the clock is set back, the result stays constant: a time that has
 * occurred stays past when it occurs for the second time.
 */
function steadyWallTime(format: Intl.DateTimeFormat, at: number): number {
  const offset = offsetAt(format, at)
  const before = offsetAt(format, at - LONGEST_REPEAT_MS)
  if (before <= offset) return at + offset
  const change = firstAfter(at - LONGEST_REPEAT_MS, at, (moment) => offsetAt(format, moment) !== before)
  return Math.max(at + offset, change + before - 1)
}

/** Returns the first integer from which on the condition is true. It is false for `early` and true for `late`. */
function firstAfter(early: number, late: number, isTrue: (candidate: number) => boolean): number {
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (isTrue(middle)) late = middle
    else early = middle
  }
  return late
}

/** Returns the milliseconds by which the zone's clock is ahead of UTC. */
function offsetAt(format: Intl.DateTimeFormat, at: number): number {
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(at)) ?? []
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS
  return sign === '-' ? -size : size
}
