import { readFileSync, writeFileSync } from 'node:fs'
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

/** For example, `before commit` or `after ack`. */
const sortOf = ({ event }: Point): string => event.split(' ').slice(1, 3).join(' ')

/** The points that a seed chooses cover each kind of order and each service. */
const { CRASH_POINTS, CRASH_SEED = '2651' } = process.env

/** Returns all points for `CRASH_POINTS=all`, otherwise one point of each sort, chosen by `CRASH_SEED`. */
export function chosenPoints(): Point[] {
  const golden = points()
  const every = KINDS.flatMap((kind) => golden[kind].map((event) => ({ kind, event })))
  if (CRASH_POINTS === 'all') return every
  const sorts = Map.groupBy(randomOf(Number(CRASH_SEED)).shuffled(every), sortOf)
  return [...sorts.values()].map(([first]) => first!)
}
