import fc from 'fast-check'
import { expect, test } from 'vitest'
import { archiveName, draftMomentOf, draftOf, expiredOf, momentOf, newestOf, untilNext } from '#/retention.ts'

const now = new Date('2026-11-23T03:15:00Z')
const daysAgo = (days: number) => archiveName(new Date(now.getTime() - days * 86_400_000))

test('the name of an archive contains its time; other names have none', () => {
  expect(archiveName(now)).toBe('platter-2026-11-23T031500Z.age')
  expect(momentOf(archiveName(now))).toBe(now.getTime())
  for (const other of ['platter-2026-11-23T031500Z.age.part', 'notes.txt', ''])
    expect(momentOf(other)).toBeNull()
})

test('a temporary name contains the time of its archive, and no two are equal', () => {
  expect(draftMomentOf(draftOf(archiveName(now)))).toBe(now.getTime())
  expect(draftOf(archiveName(now))).not.toBe(draftOf(archiveName(now)))
  for (const other of [archiveName(now), 'notes.txt.part']) expect(draftMomentOf(other)).toBeNull()
})

test('archives of the last 14 days stay, older ones are deleted, other files are not touched', () => {
  const names = [daysAgo(0), daysAgo(13), daysAgo(15), 'notes.txt', `${daysAgo(20)}.part`]
  expect(expiredOf(names, now, 14)).toEqual([daysAgo(15)])
})

test('the newest archive is never deleted, however old it is', () => {
  const days = fc.uniqueArray(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(days, fc.integer({ min: 0, max: 30 }), (ages, keepDays) => {
      const names = ages.map(daysAgo)
      expect(expiredOf(names, now, keepDays)).not.toContain(newestOf(names))
    }),
  )
})

test('the next daily run is at the configured time, today or tomorrow', () => {
  expect(untilNext(now, 195)).toBe(86_400_000)
  expect(untilNext(now, 196)).toBe(60_000)
  expect(untilNext(now, 0)).toBe(86_400_000 - 195 * 60_000)
})
