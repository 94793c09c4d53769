import { describe, expect, test } from 'vitest'
import { closedReason, isOpen, opensAt, UNTIL_RESUMED, type Hours, type Opening } from '#/domain/hours.ts'

/** Returns the epoch milliseconds of a local time at that UTC offset. */
const at = (wall: string, hoursFromUtc: number) => Date.parse(`${wall}:00Z`) - hoursFromUtc * 3_600_000
const CST = -6
const CDT = -5

const always: Hours = Object.fromEntries(
  ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((day) => [
    day,
    ['12:00 AM - 12:00 AM'],
  ]),
)

// 2026-11-20 is a Friday.
describe('several ranges on one day, each with its start and without its end', () => {
  const hours: Hours = { Friday: ['11:00 AM - 2:30 PM', '4:30 PM - 9:30 PM'] }
  test.each([
    ['10:59', false],
    ['11:00', true],
    ['14:29', true],
    ['14:30', false],
    ['16:29', false],
    ['16:30', true],
    ['21:29', true],
    ['21:30', false],
  ])('at %s on Friday isOpen is %s', (wall, expected) => {
    expect(isOpen(hours, 'US/Central', at(`2026-11-20T${wall}`, CST))).toBe(expected)
  })
})

describe('a range past midnight, which belongs to the day of its start', () => {
  const hours: Hours = { Friday: ['11:00 AM - 3:00 AM'] }
  test.each([
    ['2026-11-20T02:59', false],
    ['2026-11-20T10:59', false],
    ['2026-11-20T11:00', true],
    ['2026-11-20T23:59', true],
    ['2026-11-21T00:00', true],
    ['2026-11-21T02:59', true],
    ['2026-11-21T03:00', false],
    ['2026-11-21T11:00', false],
  ])('at the local time %s isOpen is %s', (wall, expected) => {
    expect(isOpen(hours, 'US/Central', at(wall, CST))).toBe(expected)
  })
})

describe('a range of 24 hours, with equal ends', () => {
  test.each([
    ['2026-11-20T08:59', false],
    ['2026-11-20T09:00', true],
    ['2026-11-21T08:59', true],
    ['2026-11-21T09:00', false],
  ])('9:00 AM - 9:00 AM on Friday: isOpen at %s is %s', (wall, expected) => {
    expect(isOpen({ Friday: ['9:00 AM - 9:00 AM'] }, 'US/Central', at(wall, CST))).toBe(expected)
  })

  test('noon and midnight are 12:00 PM and 12:00 AM', () => {
    const hours: Hours = { Friday: ['12:00 PM - 12:00 AM'] }
    const open = ['11:59', '12:00', '23:59'].map((wall) =>
      isOpen(hours, 'US/Central', at(`2026-11-20T${wall}`, CST)),
    )
    expect(open).toEqual([false, true, true])
    expect(isOpen(hours, 'US/Central', at('2026-11-21T00:00', CST))).toBe(false)
  })

  test('midnight to midnight every day is open at every quarter of an hour of a year, DST nights too', () => {
    const start = Date.parse('2026-01-01T00:00Z')
    const closed = Array.from({ length: 365 * 96 }, (_, quarter) => start + quarter * 900_000).filter(
      (moment) => !isOpen(always, 'America/New_York', moment),
    )
    expect(closed).toEqual([])
  })
})

test('the weekday and the hour are those of the time zone of the restaurant', () => {
  const hours: Hours = { Friday: ['8:00 PM - 10:00 PM'] }
  const moment = Date.parse('2026-11-21T03:00Z')
  expect(isOpen(hours, 'US/Central', moment)).toBe(true)
  expect(isOpen(hours, 'US/Eastern', moment)).toBe(false)
  expect(isOpen(hours, 'UTC', moment)).toBe(false)
  expect(isOpen({ Saturday: ['8:00 AM - 9:00 AM'] }, 'Asia/Kathmandu', moment)).toBe(true)
})

test('a restaurant is closed on a day without ranges and on a day without an entry', () => {
  const moment = at('2026-11-20T12:00', CST)
  expect(isOpen({}, 'US/Central', moment)).toBe(false)
  expect(isOpen({ Friday: [] }, 'US/Central', moment)).toBe(false)
})

test('a time before 1970 has the right weekday', () => {
  // 31 December 1969 was a Wednesday.
  expect(isOpen({ Wednesday: ['1:00 PM - 2:00 PM'] }, 'UTC', Date.parse('1969-12-31T13:30Z'))).toBe(true)
})

// In 2026 the clocks of the USA are set forward at 2:00 on 8 March and back at 2:00 on 1 November, both Sundays.
describe('the spring night in which 3:00 AM follows 1:59 AM', () => {
  test.each([
    ['9:00 PM - 3:00 AM', at('2026-03-08T01:59', CST), true],
    ['9:00 PM - 3:00 AM', at('2026-03-08T03:00', CDT), false],
    ['9:00 PM - 2:30 AM', at('2026-03-08T01:59', CST), true],
    ['9:00 PM - 2:30 AM', at('2026-03-08T03:00', CDT), false],
    ['9:00 PM - 4:00 AM', at('2026-03-08T03:59', CDT), true],
    ['9:00 PM - 4:00 AM', at('2026-03-08T04:00', CDT), false],
  ])('Saturday %s: isOpen in spring at %d is %s', (range, moment, expected) => {
    expect(isOpen({ Saturday: [range] }, 'US/Central', moment)).toBe(expected)
  })

  test('a range that starts at a skipped time starts when the clock is set forward', () => {
    const hours: Hours = { Sunday: ['2:30 AM - 5:00 AM'] }
    expect(isOpen(hours, 'US/Central', at('2026-03-08T01:59', CST))).toBe(false)
    expect(isOpen(hours, 'US/Central', at('2026-03-08T03:00', CDT))).toBe(true)
  })
})

describe('the autumn night in which the hour after 1:00 AM occurs twice', () => {
  test.each([
    ['9:00 PM - 2:00 AM', at('2026-11-01T01:30', CDT), true],
    ['9:00 PM - 2:00 AM', at('2026-11-01T01:30', CST), true],
    ['9:00 PM - 2:00 AM', at('2026-11-01T02:00', CST), false],
    ['9:00 PM - 1:30 AM', at('2026-11-01T01:29', CDT), true],
    ['9:00 PM - 1:30 AM', at('2026-11-01T01:30', CDT), false],
    ['9:00 PM - 3:00 AM', at('2026-11-01T02:59', CST), true],
    ['9:00 PM - 3:00 AM', at('2026-11-01T03:00', CST), false],
  ])('Saturday %s: isOpen in autumn at %d is %s', (range, moment, expected) => {
    expect(isOpen({ Saturday: [range] }, 'US/Central', moment)).toBe(expected)
  })

  test('a restaurant that closed at 1:30 AM stays closed when it is 1:15 AM for the second time', () => {
    const hours: Hours = { Saturday: ['9:00 PM - 1:30 AM'] }
    expect(isOpen(hours, 'US/Central', at('2026-11-01T01:15', CST))).toBe(false)
  })

  test('a restaurant that opened at 1:30 AM stays open when it is 1:15 AM for the second time', () => {
    const hours: Hours = { Sunday: ['1:30 AM - 4:00 AM'] }
    expect(isOpen(hours, 'US/Central', at('2026-11-01T01:15', CST))).toBe(true)
  })

  test('a restaurant on Lord Howe Island stays closed when the clock is set back by half an hour', () => {
    // At 2:00 (UTC+11) on 5 April 2026 clocks showed 1:30 (UTC+10:30) again.
    const hours: Hours = { Saturday: ['9:00 PM - 1:45 AM'] }
    const back = Date.parse('2026-04-04T15:00Z')
    expect(
      [-30, -16, -15, 0, 10, 40].map((count) => isOpen(hours, 'Australia/Lord_Howe', back + count * 60_000)),
    ).toEqual([true, true, false, false, false, false])
  })
})

test('the result does not depend on earlier calls', () => {
  const hours: Hours = { Friday: ['11:00 AM - 9:00 PM'] }
  const noon = at('2026-11-20T12:00', CST)
  const night = at('2026-11-20T23:00', CST)
  const results = [noon, night, noon, night].map((moment) => isOpen(hours, 'US/Central', moment))
  expect(results).toEqual([true, false, true, false])
})

describe('closedReason and opensAt', () => {
  const hours: Hours = { Friday: ['11:00 AM - 9:30 PM'], Sunday: ['10:00 AM - 2:00 PM'] }
  const friday = at('2026-11-20T12:00', CST)
  const pausedUntil = friday / 1_000 + 1_200
  const opening: Opening = { hours, timezone: 'US/Central', pausedUntil: null, isAttended: true }
  test.each<
    [
      situation: string,
      over: Partial<Opening>,
      now: number,
      expected: [reason: string | null, next: number | null],
    ]
  >([
    ['an open restaurant', {}, friday, [null, null]],
    ['a time before the hours', {}, at('2026-11-20T10:00', CST), ['hours', at('2026-11-20T11:00', CST)]],
    [
      'a time after the last range of a day',
      {},
      at('2026-11-20T21:30', CST),
      ['hours', at('2026-11-22T10:00', CST)],
    ],
    ['an opening in the next week', {}, at('2026-11-22T14:00', CST), ['hours', at('2026-11-27T11:00', CST)]],
    ['a restaurant without hours', { hours: {} }, friday, ['hours', null]],
    ['a pause', { pausedUntil }, friday, ['paused', pausedUntil * 1_000]],
    ['a pause until resume', { pausedUntil: UNTIL_RESUMED }, friday, ['paused', null]],
    [
      'a pause past the end of the day',
      { pausedUntil: at('2026-11-21T01:00', CST) / 1_000 },
      friday,
      ['paused', at('2026-11-22T10:00', CST)],
    ],
    ['an unattended restaurant', { isAttended: false }, friday, ['unattended', null]],
    [
      'an unattended restaurant outside of its hours',
      { isAttended: false },
      at('2026-11-20T10:00', CST),
      ['hours', at('2026-11-20T11:00', CST)],
    ],
    [
      'an unattended restaurant in a pause',
      { isAttended: false, pausedUntil },
      friday,
      ['paused', pausedUntil * 1_000],
    ],
  ])('return the reason and the next opening for %s', (_situation, over, now, [reason, next]) => {
    const one = { ...opening, ...over }
    expect(closedReason(one, now)).toBe(reason)
    expect(opensAt(one, now)).toBe(next === null ? null : next / 1_000)
  })

  test('the next opening uses the UTC offset of its own day, also across a DST change', () => {
    const sunday = { ...opening, hours: { Sunday: ['10:00 AM - 2:00 PM'] } }
    // The clock is set back on 1 November 2026 and forward on 14 March 2027.
    expect(opensAt(sunday, at('2026-10-31T12:00', CDT))).toBe(at('2026-11-01T10:00', CST) / 1_000)
    expect(opensAt(sunday, at('2027-03-13T12:00', CST))).toBe(at('2027-03-14T10:00', CDT) / 1_000)
  })

  test.each([
    ['2:00 AM', '2026-03-08', at('2026-03-08T03:00', CDT)],
    ['2:30 AM', '2026-03-08', at('2026-03-08T03:00', CDT)],
    ['3:00 AM', '2026-03-08', at('2026-03-08T03:00', CDT)],
    ['1:30 AM', '2026-11-01', at('2026-11-01T01:30', CDT)],
    ['2:00 AM', '2026-11-01', at('2026-11-01T02:00', CST)],
    ['2:30 AM', '2026-11-01', at('2026-11-01T02:30', CST)],
  ])(
    'an opening at %s in the night of the DST change of %s is announced as it happens',
    (start, day, opens) => {
      const one = { ...opening, hours: { Sunday: [`${start} - 11:00 AM`] } }
      expect(isOpen(one.hours, one.timezone, opens - 60_000)).toBe(false)
      expect(isOpen(one.hours, one.timezone, opens)).toBe(true)
      const midnight = Date.parse(`${day}T06:00Z`)
      for (let now = midnight - 3_600_000; now < opens; now += 600_000)
        expect(opensAt({ ...one, hours: { ...one.hours } }, now)).toBe(opens / 1_000)
    },
  )

  test('a range that the clock skips entirely is not announced: the next one is', () => {
    const sunday = { ...opening, hours: { Sunday: ['2:10 AM - 2:50 AM', '10:00 AM - 2:00 PM'] } }
    expect(opensAt(sunday, at('2026-03-07T12:00', CST))).toBe(at('2026-03-08T10:00', CDT) / 1_000)
    const weekly = { ...opening, hours: { Sunday: ['2:10 AM - 2:50 AM'] } }
    expect(opensAt(weekly, at('2026-03-07T12:00', CST))).toBe(at('2026-03-15T02:10', CDT) / 1_000)
  })

  test('a cached next opening is not used after that opening or for an earlier time', () => {
    const one = { ...opening, hours: { Friday: ['11:00 AM - 1:00 PM'], Sunday: ['10:00 AM - 2:00 PM'] } }
    expect(opensAt(one, at('2026-11-20T10:00', CST))).toBe(at('2026-11-20T11:00', CST) / 1_000)
    expect(opensAt(one, at('2026-11-20T13:00', CST))).toBe(at('2026-11-22T10:00', CST) / 1_000)
    expect(opensAt(one, at('2026-11-20T10:30', CST))).toBe(at('2026-11-20T11:00', CST) / 1_000)
  })
})
