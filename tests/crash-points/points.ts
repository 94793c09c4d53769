import { readFileSync, writeFileSync } from 'node:fs'
import { format } from 'node:util'

/** The orders whose every step is crashed: what each of them goes through. */
export const KINDS = ['card', 'cash', 'refused'] as const
export type Kind = (typeof KINDS)[number]
export type Points = Record<Kind, string[]>

const FILE = new URL('points.json', import.meta.url)

/** The golden list: every commit, publish, call and ack of one undisturbed order of each kind. */
export const points = (): Points => JSON.parse(readFileSync(FILE, 'utf8')) as Points

export const writePoints = (recorded: Points): void =>
  writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`)

export type Point = { kind: Kind; event: string; service: string }

const all = (): Point[] => {
  const golden = points()
  return KINDS.flatMap((kind) =>
    golden[kind].map((event) => ({ kind, event, service: event.slice(0, event.indexOf(' ')) })),
  )
}

/** In so many days every point has had its turn. */
const DAYS = 6
const DAY_MS = 86_400_000

/**
 * All points when asked for by `CRASH_POINTS=all`; else every sixth, others each day, so that six days
 * see them all. `CRASH_DAY` brings a day back.
 */
export function chosenPoints(): { chosen: Point[]; told: string } {
  const every = all()
  if (process.env['CRASH_POINTS'] === 'all')
    return { chosen: every, told: format('all %d points', every.length) }
  const day = Number(process.env['CRASH_DAY'] ?? Math.floor(Date.now() / DAY_MS))
  const chosen = every.filter((_, at) => at % DAYS === day % DAYS)
  return { chosen, told: format('%d of %d points, those of CRASH_DAY=%d', chosen.length, every.length, day) }
}
