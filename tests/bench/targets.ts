import type { Report } from './report.ts'

/** A promise, and how to read its figure from a report. One of `most` and `least`. */
export type Target = {
  claim: string
  most?: number
  least?: number
  /** × is a ratio. */
  unit: '×' | 'ms' | '/s' | 'MB'
  /** Null: not measured in this run. */
  read: (report: Report) => number | null
}

/** Clients at which CPU is compared: enough to keep two cores busy, few enough that none queues for long. */
const AT = 16
const row = ({ rows }: Report, subject: string, clients = AT) =>
  rows.find((one) => one.subject === subject && one.clients === clients)
const ratio = (subject: string) => (report: Report) => row(report, subject)?.ratio?.value ?? null
const value = (section: string, name: string) => (report: Report) =>
  report.sections.find((one) => one.name === section)?.values[name] ?? null

const atMost = (most: number, unit: Target['unit'], claim: string, read: Target['read']): Target => ({
  claim,
  most,
  unit,
  read,
})
const atLeast = (least: number, unit: Target['unit'], claim: string, read: Target['read']): Target => ({
  claim,
  least,
  unit,
  read,
})

const ORDER_LIMIT = 'CPU of a card order, against the least work that any design of it needs'
const WITH_TELEMETRY = atMost(
  1.1,
  '×',
  'CPU of a card order with telemetry, against without',
  value('tracing', 'card-order'),
)
const WITH_REPLICAS = atLeast(
  0.9,
  '×',
  'Card orders a second of a quiet stack with two replicas of each service, against one',
  value('replicas', 'card-order, quiet'),
)

/** For a run of the working tree alone. */
const targets: readonly Target[] = [
  atMost(2.5, '×', 'CPU of a menu, against nginx in front of a Fastify that has it in memory', ratio('menu')),
  atMost(1.8, '×', 'CPU of a menu that has not changed (304), against the same', ratio('menu-unchanged')),
  atMost(
    3,
    'ms',
    'CPU of a card order, all processes together',
    (report) => row(report, 'card-order')?.cpu ?? null,
  ),
  atMost(2.5, '×', ORDER_LIMIT, ratio('card-order')),
  atLeast(
    300,
    '/s',
    'Card orders at 64 clients',
    (report) => row(report, 'card-order', 64)?.perSecond ?? null,
  ),
  atMost(3, '×', 'CPU of get-order, against the same select by a bare Fastify and pg', ratio('get-order')),
  atMost(
    100,
    'ms',
    'p99 of card orders, 50 a second, counted from the time at which each is due',
    value('paced', 'p99'),
  ),
  WITH_REPLICAS,
  WITH_TELEMETRY,
  atMost(150, 'MB', 'Memory of the gateway after the requests', value('memory', 'gateway')),
  atMost(200, 'MB', 'Memory of the largest other service after the requests', value('memory', 'largest')),
  atMost(
    1.1,
    '×',
    'Memory at the end, against half-way, of the service that grew most',
    value('memory', 'growth'),
  ),
  atMost(
    1.15,
    '×',
    'CPU of the operation that grows most, at the most orders and restaurants against the fewest',
    value('scale', 'worst'),
  ),
]

const against = (operation: string) => value('against-commit', operation)
/** For the working tree against the commit before the order path was redesigned; CPU at 16 clients. */
const targetsAgainstCommit: readonly Target[] = [
  atMost(0.45, '×', 'CPU of a card order', against('card-order')),
  atMost(0.4, '×', 'CPU of a card order, 64 clients', against('card-order, 64 clients')),
  atMost(0.36, '×', 'CPU of a card order (stretch)', against('card-order')),
  atMost(0.36, '×', 'CPU of a card order, 64 clients (stretch)', against('card-order, 64 clients')),
  atMost(0.5, '×', 'CPU of a cash order', against('cash-order')),
  atMost(0.4, '×', 'CPU of a menu', against('menu')),
  atMost(0.35, '×', 'CPU of a menu that has not changed (304)', against('menu-unchanged')),
  atMost(0.25, '×', 'CPU of restaurant details', against('restaurant')),
  atMost(0.4, '×', 'CPU of a search', against('search')),
  atMost(0.7, '×', 'CPU of get-order', against('get-order')),
  atMost(1, '×', 'Memory of all services together', value('memory-against', 'all')),
  atMost(2.5, '×', ORDER_LIMIT, value('limit', 'card-order')),
  WITH_TELEMETRY,
  WITH_REPLICAS,
]

export type Verdict = {
  claim: string
  wanted: string
  measured: string
  result: 'pass' | 'miss' | 'not measured'
}

/** Compares a report with every target of its kind of run. */
export function verdictsOf(report: Report): Verdict[] {
  return (report.against === null ? targets : targetsAgainstCommit).map((target) => {
    const { claim, most = Infinity, least = -Infinity, unit, read } = target
    const figure = read(report)
    const wanted = target.most === undefined ? `≥ ${least} ${unit}` : `≤ ${most} ${unit}`
    if (figure === null) return { claim, wanted, measured: '–', result: 'not measured' }
    const result = figure <= most && figure >= least ? 'pass' : 'miss'
    return {
      claim,
      wanted,
      measured: `${figure.toFixed(unit === '×' || unit === 'ms' ? 2 : 0)} ${unit}`,
      result,
    }
  })
}
