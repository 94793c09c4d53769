import { parse, stringify } from 'yaml'
import { alertRules } from './alert-rules.ts'
import { dashboard } from './dashboard.ts'
import { selector } from './prometheus.ts'

/* Kubernetes objects of the optional components in deploy/kubernetes/components. */

const GENERATED =
  '# Generated from the metrics in packages/kit/src/telemetry/metric-catalog.ts by `npm run docs`. Do not edit.\n'
const labels = { 'app.kubernetes.io/part-of': 'platter' }
const PROMETHEUS = 'http://prometheus-operated.telemetry:9090'

const rule = () => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'platter', labels },
  spec: parse(alertRules()) as object,
})

/** The sidecar of Grafana's chart loads ConfigMaps with this label. */
const configMap = () => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'platter-dashboard', labels: { ...labels, grafana_dashboard: '1' } },
  data: { 'platter.json': dashboard() },
})

type Scaled = {
  readonly name: string
  readonly maxReplicas: number
  /** The permits in use per replica above which another replica is started. */
  readonly permits: number
  /** The waiting messages per replica above which another replica is started. */
  readonly messages?: number
}

/**
 * The maxima of the overlay limit the connections to PostgreSQL. A gateway has at least 32 permits for orders, and payments has
 * 1,024 for each kind of command: the thresholds are far below the limits at which requests are rejected.
 */
const scaled: readonly Scaled[] = [
  { name: 'gateway', maxReplicas: 5, permits: 100 },
  { name: 'orders', maxReplicas: 5, permits: 100, messages: 50 },
  { name: 'payments', maxReplicas: 3, permits: 200, messages: 50 },
]

const trigger = (query: string, threshold: number) => ({
  type: 'prometheus',
  metricType: 'AverageValue',
  metadata: { serverAddress: PROMETHEUS, query, threshold: String(threshold) },
})

const scaledObject = ({ name, maxReplicas, permits, messages }: Scaled) => ({
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  metadata: { name, labels: { ...labels, 'app.kubernetes.io/name': name } },
  spec: {
    scaleTargetRef: { name },
    minReplicaCount: 2,
    maxReplicaCount: maxReplicas,
    // Without Prometheus, the maximum applies: idle replicas cost less than rejected orders.
    fallback: { failureThreshold: 3, replicas: maxReplicas },
    advanced: {
      horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 300 } } },
    },
    triggers: [
      { type: 'cpu', metricType: 'Utilization', metadata: { value: '70' } },
      trigger(`sum(${selector('platter.permits.in_use', { job: `platter/${name}` })})`, permits),
      // Replicas report the same queue.
      ...(messages === undefined
        ? []
        : [
            trigger(
              `sum(max by (messaging_destination_name) (${selector('platter.queue.messages', { 'messaging.destination.name': new RegExp(`${name}[.].*`) })}))`,
              messages,
            ),
          ]),
    ],
  },
})

const yaml = (objects: readonly object[]): string =>
  GENERATED + objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n')

/** Returns the generated files in deploy/kubernetes/components: name to text. */
export const componentFiles = (): Record<string, string> => ({
  'monitoring/rules.yaml': yaml([rule()]),
  'monitoring/dashboard.yaml': yaml([configMap()]),
  'keda/scaled-objects.yaml': yaml(scaled.map(scaledObject)),
})
