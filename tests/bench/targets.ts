import type { Section } from './report.ts'

/** A target for a figure of a report. The figure is null if this run has not measured it. × is a ratio. */
type Target = readonly [
  claim: string,
  bound: '≤' | '≥',
  limit: number,
  unit: '×' | 'ms' | '/s' | 'MB',
  read: (sections: readonly Section[]) => number | null,
]

const value = (section: string, name: string) => (sections: readonly Section[]) =>
  sections.find((one) => one.name === section)?.values[name] ?? null
/** CPU is compared at 16 clients: enough to keep two cores busy, but few enough to avoid long queues. */
const operation = (name: string) => value('operations', name)
const against = (name: string) => value('against-commit', name)

const ORDER_LIMIT = 'CPU of a card order, against the least work that any design of it needs'
const WITH_TELEMETRY: Target = [
  'CPU of a card order with telemetry, against without',
  '≤',
  1.1,
  '×',
  value('tracing', 'card-order'),
]
const WITH_REPLICAS: Target = [
  'Card orders a second of a quiet stack with two replicas of each service, against one',
  '≥',
  0.9,
  '×',
  value('replicas', 'card-order, 1 clients'),
]

/** Targets for a run of the working tree alone. */
const TARGETS: readonly Target[] = [
  [
    'CPU of a menu, against nginx in front of a Fastify that has it in memory',
    '≤',
    2.5,
    '×',
    operation('menu'),
  ],
  ['CPU of a menu that has not changed (304), against the same', '≤', 1.8, '×', operation('menu-unchanged')],
  ['CPU of a card order, all processes together', '≤', 3, 'ms', operation('card-order: CPU')],
  [ORDER_LIMIT, '≤', 2.5, '×', operation('card-order')],
  ['Card orders at 64 clients', '≥', 300, '/s', operation('card-order, 64 clients: a second')],
  ['CPU of get-order, against the same select by a bare Fastify and pg', '≤', 3, '×', operation('get-order')],
  [
    'p99 of card orders, 50 a second, counted from the time at which each is due',
    '≤',
    100,
    'ms',
    value('paced', 'p99'),
  ],
  WITH_REPLICAS,
  WITH_TELEMETRY,
  ['Memory of the gateway after the requests', '≤', 150, 'MB', value('memory', 'gateway')],
  ['Memory of the largest other service after the requests', '≤', 200, 'MB', value('memory', 'largest')],
  [
    'Memory at the end, against half-way, of the service that grew most',
    '≤',
    1.1,
    '×',
    value('memory', 'growth'),
  ],
  [
    'CPU of the operation that grows most, at the most orders and restaurants against the fewest',
    '≤',
    1.15,
    '×',
    value('scale', 'worst'),
  ],
]

/** Targets for the working tree against the commit before the redesign of the order path, with CPU at 16 clients. */
const TARGETS_AGAINST_COMMIT: readonly Target[] = [
  ['CPU of a card order', '≤', 0.45, '×', against('card-order')],
  ['CPU of a card order, 64 clients', '≤', 0.4, '×', against('card-order, 64 clients')],
  ['CPU of a card order (stretch)', '≤', 0.36, '×', against('card-order')],
  ['CPU of a card order, 64 clients (stretch)', '≤', 0.36, '×', against('card-order, 64 clients')],
  ['CPU of a cash order', '≤', 0.5, '×', against('cash-order')],
  ['CPU of a menu', '≤', 0.4, '×', against('menu')],
  ['CPU of a menu that has not changed (304)', '≤', 0.35, '×', against('menu-unchanged')],
  ['CPU of restaurant details', '≤', 0.25, '×', against('restaurant')],
  ['CPU of a search', '≤', 0.4, '×', against('search')],
  ['CPU of get-order', '≤', 0.7, '×', against('get-order')],
  ['Memory of all services together', '≤', 1, '×', value('memory-against', 'all')],
  [ORDER_LIMIT, '≤', 2.5, '×', value('limit', 'card-order')],
  WITH_TELEMETRY,
  WITH_REPLICAS,
]

/** Returns a row for each target of this kind of run: claim, wanted, measured, and pass, miss or not measured. */
export const verdictsOf = (sections: readonly Section[], isAgainstCommit: boolean): string[][] =>
  (isAgainstCommit ? TARGETS_AGAINST_COMMIT : TARGETS).map(([claim, bound, limit, unit, read]) => {
    const figure = read(sections)
    const wanted = `${bound} ${limit} ${unit}`
    if (figure === null) return [claim, wanted, '–', 'not measured']
    const isKept = bound === '≤' ? figure <= limit : figure >= limit
    const measured = figure.toFixed(unit === '×' || unit === 'ms' ? 2 : 0)
    return [claim, wanted, `${measured} ${unit}`, isKept ? 'pass' : 'miss']
  })
