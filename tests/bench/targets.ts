import type { Report } from './report.ts'

/** What is promised, and where in a report the figure stands. One of `most` and `least`. */
export type Target = {
  claim: string
  most?: number
  least?: number
  /** How the figure is written: × for a ratio. */
  unit: '×' | 'ms' | '/s' | 'MB'
  /** Null: not measured in this run. */
  read: (report: Report) => number | null
}

/** CPU is held at 16 clients: enough to keep two cores busy, few enough that nobody queues for long. */
const AT = 16
const row = ({ rows }: Report, subject: string, clients = AT) =>
  rows.find((one) => one.subject === subject && one.clients === clients)
const ratio = (subject: string) => (report: Report) => row(report, subject)?.ratio?.value ?? null
const value = (section: string, name: string) => (report: Report) =>
  report.sections.find((one) => one.name === section)?.values[name] ?? null

/** Of a run of the working tree alone. */
const targets: readonly Target[] = [
  {
    claim: 'CPU of a menu, against nginx in front of a Fastify that has it in memory',
    most: 2.5,
    unit: '×',
    read: ratio('menu'),
  },
  {
    claim: 'CPU of a menu that has not changed (304), against the same',
    most: 1.8,
    unit: '×',
    read: ratio('menu-unchanged'),
  },
  {
    claim: 'CPU of a card order, all processes together',
    most: 3,
    unit: 'ms',
    read: (report) => row(report, 'card-order')?.cpu ?? null,
  },
  {
    claim: 'CPU of a card order, against the least that any design of it has to do',
    most: 2.5,
    unit: '×',
    read: ratio('card-order'),
  },
  {
    claim: 'Card orders at 64 clients',
    least: 300,
    unit: '/s',
    read: (report) => row(report, 'card-order', 64)?.perSecond ?? null,
  },
  {
    claim: 'CPU of get-order, against the same select by a bare Fastify and pg',
    most: 3,
    unit: '×',
    read: ratio('get-order'),
  },
  {
    claim: 'p99 of card orders, 50 a second, counted from when each was due',
    most: 100,
    unit: 'ms',
    read: value('paced', 'p99'),
  },
  {
    claim: 'Card orders a second of a quiet stack with two replicas of each service, against one',
    least: 0.9,
    unit: '×',
    read: value('replicas', 'card-order, quiet'),
  },
  {
    claim: 'CPU of a card order with telemetry, against without',
    most: 1.1,
    unit: '×',
    read: value('tracing', 'card-order'),
  },
  {
    claim: 'Memory of the gateway after the requests',
    most: 150,
    unit: 'MB',
    read: value('memory', 'gateway'),
  },
  {
    claim: 'Memory of the largest other service after the requests',
    most: 200,
    unit: 'MB',
    read: value('memory', 'largest'),
  },
  {
    claim: 'Memory at the end, against half-way, of the service that grew most',
    most: 1.1,
    unit: '×',
    read: value('memory', 'growth'),
  },
  {
    claim: 'CPU of the operation that grows most, at the most orders and restaurants against the fewest',
    most: 1.15,
    unit: '×',
    read: value('scale', 'worst'),
  },
]

const against = (operation: string) => value('against-commit', operation)
const atMost = (most: number, claim: string, read: Target['read']): Target => ({
  claim,
  most,
  unit: '×',
  read,
})

/** Of the working tree against the commit before the order path was redesigned; CPU at 16 clients. */
const targetsAgainstCommit: readonly Target[] = [
  atMost(0.45, 'CPU of a card order', against('card-order')),
  atMost(0.4, 'CPU of a card order, 64 clients', against('card-order, 64 clients')),
  atMost(0.36, 'CPU of a card order (stretch)', against('card-order')),
  atMost(0.36, 'CPU of a card order, 64 clients (stretch)', against('card-order, 64 clients')),
  atMost(0.5, 'CPU of a cash order', against('cash-order')),
  atMost(0.4, 'CPU of a menu', against('menu')),
  atMost(0.35, 'CPU of a menu that has not changed (304)', against('menu-unchanged')),
  atMost(0.25, 'CPU of restaurant details', against('restaurant')),
  atMost(0.4, 'CPU of a search', against('search')),
  atMost(0.7, 'CPU of get-order', against('get-order')),
  atMost(1, 'Memory of all services together', value('memory-against', 'all')),
  atMost(
    2.5,
    'CPU of a card order, against the least that any design of it has to do',
    value('limit', 'card-order'),
  ),
  atMost(1.1, 'CPU of a card order with telemetry, against without', value('tracing', 'card-order')),
  {
    claim: 'Card orders a second of a quiet stack with two replicas of each service, against one',
    least: 0.9,
    unit: '×',
    read: value('replicas', 'card-order, quiet'),
  },
]

export type Judged = {
  claim: string
  wanted: string
  measured: string
  result: 'pass' | 'miss' | 'not measured'
}

/** Holds a report against every target of its kind of run. */
export function judge(report: Report): Judged[] {
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
