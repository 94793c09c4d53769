import { alertRules } from './alert-rules.ts'
import { dashboard } from './dashboard.ts'

/** Returns the generated files in deploy/observability: name to text. */
export const observabilityFiles = (): Record<string, string> => ({
  'grafana-dashboard.json': dashboard(),
  'prometheus-rules.yaml': alertRules(),
})
