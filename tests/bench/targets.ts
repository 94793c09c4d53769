import type { Section } from './report.ts'

/** × is a ratio. */
type Target = readonly [claim: string, bound: '≤' | '≥', limit: number, unit: '×' | 'ms' | '/s' | 'MB']

/**
 * Targets by section and value. CPU is compared at 16 clients: enough to keep two cores busy, but few enough to avoid long queues.
 */
const TARGETS: Readonly<Record<string, Readonly<Record<string, Target>>>> = {
  operations: {
    menu: ['CPU of a menu, against a Fastify that has it in memory', '≤', 2.5, '×'],
    'menu-unchanged': ['CPU of a menu that has not changed (304), against the same', '≤', 4, '×'],
    'card-order: CPU': ['CPU of a card order, all processes together', '≤', 3, 'ms'],
    'card-order': ['CPU of a card order, against the least work that any design of it needs', '≤', 2.5, '×'],
    'card-order, 64 clients: a second': ['Card orders at 64 clients', '≥', 300, '/s'],
    'get-order': ['CPU of get-order, against the same select by a bare Fastify and pg', '≤', 3, '×'],
  },
  paced: {
    p99: ['p99 of card orders, 50 a second, counted from the time at which each is due', '≤', 100, 'ms'],
  },
  replicas: {
    'card-order, 1 clients': [
      'Card orders a second of a quiet stack, two replicas against one',
      '≥',
      0.9,
      '×',
    ],
  },
  tracing: {
    'card-order': ['CPU of a card order with telemetry, against without', '≤', 1.1, '×'],
  },
  memory: {
    gateway: ['Memory of the gateway after the requests', '≤', 150, 'MB'],
    largest: ['Memory of the largest other service after the requests', '≤', 200, 'MB'],
    growth: ['Memory at the end, against half-way, of the service that grew most', '≤', 1.1, '×'],
  },
  scale: {
    growth: ['CPU of the operation that grows most with orders and restaurants', '≤', 1.15, '×'],
  },
}

/** Returns a row for each measured target: claim, wanted, measured, and pass or miss. */
export const verdictsOf = (sections: readonly Section[]): string[][] =>
  sections.flatMap(({ name, values }) =>
    Object.entries(TARGETS[name] ?? {}).flatMap(([key, [claim, bound, limit, unit]]) => {
      const figure = values[key]
      if (figure === undefined) return []
      const isKept = bound === '≤' ? figure <= limit : figure >= limit
      const measured = figure.toFixed(unit === '×' || unit === 'ms' ? 2 : 0)
      return [[claim, `${bound} ${limit} ${unit}`, `${measured} ${unit}`, isKept ? 'pass' : 'miss']]
    }),
  )
