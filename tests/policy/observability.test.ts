import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { METRICS, type MetricName } from '@platter/kit/telemetry/metric-catalog'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { rules } from '../../dev/observability/alert-rules.ts'
import { observabilityFiles } from '../../dev/observability/files.ts'
import { componentFiles } from '../../dev/observability/manifests.ts'
import { prometheusName } from '../../dev/observability/prometheus.ts'

/* deploy/observability is generated from the declarations of the metrics: a renamed metric does not compile, and stale files fail here. */

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const names = Object.keys(METRICS) as MetricName[]
const files = observabilityFiles()

test.each(Object.entries(files))(
  'deploy/observability/%s equals the output of `npm run docs`',
  (name, text) => {
    expect(read(`deploy/observability/${name}`)).toBe(text)
  },
)

test.each(Object.entries(componentFiles()))(
  'deploy/kubernetes/components/%s equals the output of `npm run docs`',
  (name, text) => {
    expect(read(`deploy/kubernetes/components/${name}`)).toBe(text)
  },
)

test('a metric has the name that Prometheus gives it', () => {
  expect(prometheusName('http.server.request.duration')).toBe('http_server_request_duration_seconds')
  expect(prometheusName('platter.charges')).toBe('platter_charges_total')
  expect(prometheusName('platter.saga.in_flight')).toBe('platter_saga_in_flight')
  expect(prometheusName('v8js.memory.heap.used')).toBe('v8js_memory_heap_used_bytes')
  expect(prometheusName('nodejs.eventloop.utilization')).toBe('nodejs_eventloop_utilization_ratio')
})

test('the dashboard or a rule shows every metric', () => {
  const all = Object.values(files).join('\n')
  expect(names.filter((name) => !all.includes(prometheusName(name)))).toEqual([])
})

test('docs/telemetry.md describes every metric', () => {
  const page = read('docs/telemetry.md')
  const described = (name: string) =>
    page.includes(`\`${name}\``) || page.includes(`\`.${name.split('.').at(-1)}\``)
  expect(names.filter((name) => !described(name))).toEqual([])
})

test('every declared metric is recorded by a service, and the rules are valid YAML with one name each', () => {
  const sources = globSync(['packages/*/src/**/*.ts', 'services/*/src/**/*.ts'], { cwd: root })
    .filter((file) => !file.endsWith('metric-catalog.ts') && !file.includes('.test.'))
    .map(read)
    .join('\n')
  expect(names.filter((name) => !sources.includes(`'${name}'`))).toEqual([])
  const file = parse(files['prometheus-rules.yaml'] ?? '') as {
    groups: { rules: { alert: string; expr: string }[] }[]
  }
  const parsed = file.groups.flatMap((group) => group.rules)
  expect(parsed.map(({ alert, expr }) => [alert, expr])).toEqual(
    rules.map(({ alert, expr }) => [alert, expr]),
  )
  expect(new Set(parsed.map(({ alert }) => alert)).size).toBe(parsed.length)
})
