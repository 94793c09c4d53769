import { readFileSync, writeFileSync } from 'node:fs'
import { format } from 'node:util'
import { randomOf } from '../support/random.ts'

/** Changes of a captured card order. The steps of the order itself are then no crash points. */
const AFTER_SALE = ['refund', 'cancel'] as const
export type AfterSale = (typeof AFTER_SALE)[number]

/** The kinds of orders. Each step of each kind is a crash point. */
export const KINDS = ['card', 'cash', 'refused', 'challenged', ...AFTER_SALE] as const
export type Kind = (typeof KINDS)[number]
export const isAfterSale = (kind: Kind): kind is AfterSale => AFTER_SALE.includes(kind as AfterSale)
export type Points = Record<Kind, string[]>

const FILE = new URL('points.json', import.meta.url)

/** The golden list: every commit, publish, call and acknowledgement of each undisturbed order, refund and cancellation. */
export const points = (): Points => JSON.parse(readFileSync(FILE, 'utf8')) as Points

export const writePoints = (recorded: Points): void =>
  writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`)

export type Point = { kind: Kind; event: string }

const all = (): Point[] => {
  // A new kind has no list before its recording.
  const golden: Partial<Points> = points()
  return KINDS.flatMap((kind) => (golden[kind] ?? []).map((event) => ({ kind, event })))
}

/** For example, `before commit` or `after ack`. */
const sortOf = ({ event }: Point): string => event.split(' ').slice(1, 3).join(' ')

/** A seed whose chosen points cover each kind of order and each service. */
const SEED = 1190

/** Returns all points for `CRASH_POINTS=all`, otherwise one point of each sort, chosen by `CRASH_SEED`. */
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
