import { randomUUID } from 'node:crypto'

/* The name of an archive contains its start time, so the alphabetical order is the order of age. */

const NAME = /^platter-(\d{4})-(\d{2})-(\d{2})T(\d{2})(\d{2})(\d{2})Z\.age$/

/** The name of an archive that starts now. */
export const archiveName = (now: Date): string =>
  `platter-${now.toISOString().slice(0, 19).replaceAll(':', '')}Z.age`

/** Returns the start time in the name of an archive, in epoch milliseconds; null for another file. */
export function momentOf(name: string): number | null {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? []
  return second === undefined ? null : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

/**
 * A new temporary name for an archive. It is random: with a common name, the second of two backups of the same second deleted the
 * file of the first.
 */
export const draftOf = (file: string): string => `${file}.${randomUUID()}.part`

/** Returns the start time in the temporary name of an archive, in epoch milliseconds; null for another file. */
export const draftMomentOf = (name: string): number | null =>
  name.endsWith('.part') ? momentOf(name.replace(/(\.age)\..*$/, '$1')) : null

/** Returns the newest archive; null if none exists. */
export const newestOf = (names: readonly string[]): string | null =>
  names
    .filter((name) => momentOf(name) !== null)
    .toSorted()
    .at(-1) ?? null

export const DAY_MS = 86_400_000

/** Returns the archives older than `keepDays`, except the newest one. Ignores other files. */
export function expiredOf(names: readonly string[], now: Date, keepDays: number): string[] {
  const newest = newestOf(names)
  return names.filter((name) => {
    const at = momentOf(name)
    return at !== null && name !== newest && now.getTime() - at > keepDays * DAY_MS
  })
}

/** Returns the milliseconds until the next run. `minuteOfDay` is the time of day in minutes after midnight, UTC. */
export function untilNext(now: Date, minuteOfDay: number): number {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()) + minuteOfDay * 60_000
  return (today > now.getTime() ? today : today + DAY_MS) - now.getTime()
}
