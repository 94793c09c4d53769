import { readFileSync, writeFileSync } from 'node:fs'
import { format } from 'node:util'
import { randomOf } from '../support/random.ts'

/** The kinds of orders whose every step is a crash point. */
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

/** For example `before commit` or `after ack`. */
const sortOf = ({ event }: Point): string => event.split(' ').slice(1, 3).join(' ')

/** One of the seeds that choose points of every kind of order and of every service. */
const SEED = 7

/** All points for `CRASH_POINTS=all`, else one of each sort, chosen by `CRASH_SEED`. */
export function chosenPoints(): { chosen: Point[]; summary: string } {
  const every = all()
  if (process.env['CRASH_POINTS'] === 'all')
    return { chosen: every, summary: format('all %d points', every.length) }
  const seed = Number(process.env['CRASH_SEED'] ?? SEED)
  const sorts = Map.groupBy(randomOf(seed).shuffled(every), sortOf)
  const chosen = [...sorts.values()].flatMap(([first]) => first ?? [])
  return {
    chosen,
    summary: format('%d of %d points, those of CRASH_SEED=%d', chosen.length, every.length, seed),
  }
}
