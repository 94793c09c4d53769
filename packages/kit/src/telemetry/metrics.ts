import { metrics, type Counter, type Histogram, type MetricOptions } from '@opentelemetry/api'
import {
  METRICS,
  type AttributesOf,
  type CounterName,
  type GaugeName,
  type HistogramName,
  type MetricDeclaration,
  type MetricName,
} from '#/telemetry/metric-catalog.ts'
import { isTelemetryOn, SCOPE } from '#/telemetry/spans.ts'

const meter = () => metrics.getMeter(SCOPE)

function optionsOf(name: MetricName): MetricOptions {
  const { unit, description, boundaries }: MetricDeclaration = METRICS[name]
  return { unit, description, ...(boundaries && { advice: { explicitBucketBoundaries: [...boundaries] } }) }
}

/** Created at its first use: an instrument that is created before the SDK starts never records. */
export function counter<Name extends CounterName>(name: Name) {
  let made: Counter | undefined
  return (attributes: AttributesOf<Name>): void => {
    if (isTelemetryOn()) (made ??= meter().createCounter(name, optionsOf(name))).add(1, attributes)
  }
}

/** Like `counter`; takes values in the unit of its declaration. */
export function histogram<Name extends HistogramName>(name: Name) {
  let made: Histogram | undefined
  return (value: number, attributes: AttributesOf<Name>): void => {
    if (isTelemetryOn()) (made ??= meter().createHistogram(name, optionsOf(name))).record(value, attributes)
  }
}

type Observed<Name extends GaugeName> = { value: number; attributes?: AttributesOf<Name> }
type AllObserved<Name extends GaugeName> = { [Each in Name]: Observed<Each>[] }

/**
 * Gauges that are read when metrics are exported, once an interval. `read` resolves to the values of each name; a
 * rejection leaves them out this time.
 */
export function observe<Name extends GaugeName>(
  names: readonly Name[],
  read: () => Promise<AllObserved<Name>> | AllObserved<Name>,
): void {
  if (!isTelemetryOn()) return
  const made = names.map((name) => [name, meter().createObservableGauge(name, optionsOf(name))] as const)
  meter().addBatchObservableCallback(
    async (result) => {
      // Readiness and logs report a dependency that is unavailable.
      const values = await Promise.resolve(read()).catch(() => null)
      if (values === null) return
      for (const [name, gauge] of made)
        for (const { value, attributes } of values[name]) result.observe(gauge, value, attributes)
    },
    made.map(([, gauge]) => gauge),
  )
}
