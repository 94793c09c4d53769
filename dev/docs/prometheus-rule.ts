import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'

const source = join(import.meta.dirname, '../../deploy/observability/prometheus-rules.yaml')

/** Returns the alert rules as an object of the Prometheus operator. */
export function prometheusRule(): string {
  const object = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'platter', labels: { 'app.kubernetes.io/part-of': 'platter' } },
    spec: parse(readFileSync(source, 'utf8')) as object,
  }
  const generated =
    '# Generated from deploy/observability/prometheus-rules.yaml by `npm run docs`. Do not edit.\n'
  return generated + stringify(object, { lineWidth: 0 })
}
