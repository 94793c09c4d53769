import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { METRICS, type MetricDeclaration, type MetricName } from '@platter/kit/telemetry/metric-catalog'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { prometheusRule } from '../../dev/docs/prometheus-rule.ts'

/* Dashboards, alert rules and autoscalers use the metrics that services declare, by the names that Prometheus gives them. */

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const names = Object.keys(METRICS) as MetricName[]

/* Names in Prometheus after it has received OTLP (UnderscoreEscapingWithSuffixes, its default). */

const SUFFIXES: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' }
const escaped = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_]/g, '_')

/** Returns the name of a metric, without the suffix of a histogram's series. */
function prometheusName(name: MetricName): string {
  const { kind, unit }: MetricDeclaration = METRICS[name]
  const suffix = SUFFIXES[unit] ?? ''
  const total = kind === 'counter' ? '_total' : ''
  return `${escaped(name)}${kind === 'gauge' || unit !== '1' ? suffix : ''}${total}`
}

/** The labels of each series. Prometheus adds `job` and `instance`. */
const labelsOfSeries: ReadonlyMap<string, Set<string>> = new Map(
  names.flatMap((name) => {
    const { kind, attributes }: MetricDeclaration = METRICS[name]
    const labels = new Set([...attributes.map(escaped), 'job', 'instance'])
    const series = kind === 'histogram' ? ['_bucket', '_count', '_sum'] : ['']
    return series.map((part): [string, Set<string>] => [
      `${prometheusName(name)}${part}`,
      part === '_bucket' ? labels.union(new Set(['le'])) : labels,
    ])
  }),
)

/** The words of PromQL in these files. */
const KEYWORDS = new Set(
  'absent and by deriv histogram_quantile max min_over_time on or rate sum topk'.split(' '),
)

/** Returns the names in an expression that no metric has, and the labels that none of its series has. */
function unknownNames(expression: string): string[] {
  const clauses = /\b(by|on)\s*\(([^)]*)\)|(\w+)\{([^}]*)\}/g
  const withoutLabels = expression.replaceAll(
    clauses,
    (_, _word, _labels, series: string | undefined) => series ?? '',
  )
  const used = withoutLabels.replaceAll(/\[[^\]]*\]/g, '').match(/\b[a-z_]\w*/gi) ?? []
  const series = used.filter((name) => !KEYWORDS.has(name))
  const known = new Set(series.flatMap((name) => [...(labelsOfSeries.get(name) ?? [])]))
  const unknownLabels = [...expression.matchAll(clauses)].flatMap(
    ([, word, list = '', name = '', matchers = '']) =>
      word === undefined
        ? [...matchers.matchAll(/(\w+)=/g)].flatMap(([, label = '']) =>
            labelsOfSeries.get(name)?.has(label) ? [] : [`${name}{${label}}`],
          )
        : list.split(/,\s*/).filter((label) => !known.has(label)),
  )
  return [...series.filter((name) => !labelsOfSeries.has(name)), ...unknownLabels]
}

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({ alert: z.string(), expr: z.string(), annotations: z.object({ summary: z.string() }) }),
      ),
    }),
  ),
})
const Dashboard = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).default([]) })),
})
const ScaledObject = z.object({
  spec: z.object({ triggers: z.array(z.object({ metadata: z.object({ query: z.string().optional() }) })) }),
})

const rules = Rules.parse(parse(read('deploy/observability/prometheus-rules.yaml'))).groups.flatMap(
  (group) => group.rules,
)
const ofRules = rules.map(({ expr }) => expr)
const dashboard = Dashboard.parse(JSON.parse(read('deploy/observability/grafana-dashboard.json')))
const ofDashboard = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
const scalers = parseAllDocuments(read('deploy/kubernetes/components/keda/scaled-objects.yaml'))
const ofScalers = scalers.flatMap((one) =>
  ScaledObject.parse(one.toJS()).spec.triggers.flatMap(({ metadata }) => metadata.query ?? []),
)

test.each([
  ['the alert rules', ofRules],
  ['the dashboard', ofDashboard],
  ['the autoscalers', ofScalers],
])('%s use only declared metrics and their labels', (_, expressions) => {
  expect(expressions.length).toBeGreaterThan(3)
  expect(expressions.flatMap(unknownNames)).toEqual([])
})

test('the autoscalers compare permits in use with their limits, and only of services that report both', () => {
  const reported = globSync('services/*/src/*.ts', { cwd: root })
    .filter((file) => read(file).includes('observeLimits('))
    .map((file) => file.split('/')[1] ?? '')
  const ofPermits = ofScalers.filter((query) => query.includes('platter_permits'))
  const jobs = ofPermits.map((query) => /job="platter\/(\w+)"/.exec(query)?.[1] ?? '')
  expect(jobs.toSorted()).toEqual(reported.toSorted())
  expect(ofPermits.filter((query) => !query.includes('platter_permits_limit'))).toEqual([])
})

test('the instructions for Prometheus name only variables that services read', () => {
  const named = [...read('deploy/observability/README.md').matchAll(/\b(OTEL_\w+)=/g)].map(
    ([, name = '']) => name,
  )
  expect(named).toContain('OTEL_EXPORTER_OTLP_ENDPOINT')
  const settings = read('docs/configuration.md')
  expect(named.filter((name) => !settings.includes(`| \`${name}\` |`))).toEqual([])
})

test('a quantile is compared with a boundary of its buckets: within a bucket Prometheus guesses', () => {
  const compared = ofRules.flatMap((expr) => {
    const [, series, threshold] = /^histogram_quantile\(.*rate\((\w+)_bucket.* > ([\d.]+)$/.exec(expr) ?? []
    const name = names.find((one) => prometheusName(one) === series)
    const { boundaries }: Partial<MetricDeclaration> = name ? METRICS[name] : {}
    return boundaries ? [{ threshold: Number(threshold), boundaries }] : []
  })
  expect(compared.length).toBeGreaterThan(0)
  for (const { threshold, boundaries } of compared) expect(boundaries).toContain(threshold)
})

test('finds an unknown metric and an unknown label', () => {
  expect(unknownNames('max by (platter_saga_step) (platter_saga_oldest) > 300')).toEqual([
    'platter_saga_oldest',
    'platter_saga_step',
  ])
  expect(unknownNames('sum by (job, step) (rate(platter_processor_calls_total{kind="refund"}[5m]))')).toEqual(
    ['step', 'platter_processor_calls_total{kind}'],
  )
})

test('the summary of an alert names only labels of its expression', () => {
  const unknown = rules.flatMap(({ alert, expr, annotations }) =>
    [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].flatMap(([, label = '']) =>
      new RegExp(`(by|absent)\\s*\\(.*\\b${label}\\b`).test(expr) ? [] : [`${alert}: ${label}`],
    ),
  )
  expect(unknown).toEqual([])
})

test('no rule alerts on the age of orders: a pending refund is a day old, and is no fault', () => {
  const aged = rules.filter(({ expr }) => expr.includes(prometheusName('platter.saga.oldest')))
  expect(aged.map(({ alert }) => alert)).toEqual([])
})

test('the alert rules for Kubernetes equal the output of `npm run docs`', () => {
  expect(read('deploy/kubernetes/components/monitoring/rules.yaml')).toBe(prometheusRule())
})

test('a metric has the name that Prometheus gives it', () => {
  expect(prometheusName('http.server.request.duration')).toBe('http_server_request_duration_seconds')
  expect(prometheusName('platter.processor.calls')).toBe('platter_processor_calls_total')
  expect(prometheusName('platter.saga.in_flight')).toBe('platter_saga_in_flight')
  expect(prometheusName('v8js.memory.heap.used')).toBe('v8js_memory_heap_used_bytes')
  expect(prometheusName('nodejs.eventloop.utilization')).toBe('nodejs_eventloop_utilization_ratio')
})

test('the dashboard or a rule shows every metric', () => {
  const all = [...ofRules, ...ofDashboard].join('\n')
  expect(names.filter((name) => !all.includes(prometheusName(name)))).toEqual([])
})

test('docs/telemetry.md describes every metric', () => {
  const page = read('docs/telemetry.md')
  const described = (name: string) =>
    page.includes(`\`${name}\``) || page.includes(`\`.${name.split('.').at(-1)}\``)
  expect(names.filter((name) => !described(name))).toEqual([])
})

test('every declared metric is recorded by a service, and each alert rule has one name', () => {
  const sources = globSync(['packages/*/src/**/*.ts', 'services/*/src/**/*.ts'], { cwd: root })
    .filter((file) => !file.endsWith('metric-catalog.ts') && !file.includes('.test.'))
    .map(read)
    .join('\n')
  expect(names.filter((name) => !sources.includes(`'${name}'`))).toEqual([])
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
})
