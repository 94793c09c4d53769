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

/**
 * Returns a function that increments a counter. The instrument is created at its first use, because one that exists before the SDK
 * starts never records.
 */
export function counter<Name extends CounterName>(name: Name) {
  let instrument: Counter | undefined
  return (attributes: AttributesOf<Name>): void => {
    if (isTelemetryOn()) (instrument ??= meter().createCounter(name, optionsOf(name))).add(1, attributes)
  }
}

/** Like `counter`, for a histogram. Values have the unit of the declaration. */
export function histogram<Name extends HistogramName>(name: Name) {
  let instrument: Histogram | undefined
  return (value: number, attributes: AttributesOf<Name>): void => {
    if (isTelemetryOn())
      (instrument ??= meter().createHistogram(name, optionsOf(name))).record(value, attributes)
  }
}

type Observed<Name extends GaugeName> = { value: number; attributes?: AttributesOf<Name> }
type AllObserved<Name extends GaugeName> = { [Each in Name]: Observed<Each>[] }

/**
 * Registers gauges that are read at each export of metrics. `read` resolves to the values of each name. If it rejects, the values
 * are omitted from this export.
 */
export function observe<Name extends GaugeName>(
  names: readonly Name[],
  read: () => Promise<AllObserved<Name>> | AllObserved<Name>,
): void {
  if (!isTelemetryOn()) return
  const instrument = names.map(
    (name) => [name, meter().createObservableGauge(name, optionsOf(name))] as const,
  )
  meter().addBatchObservableCallback(
    async (result) => {
      // Readiness checks and logs already report the unavailable dependency.
      const values = await Promise.resolve(read()).catch(() => null)
      if (values === null) return
      for (const [name, gauge] of instrument)
        for (const { value, attributes } of values[name]) result.observe(gauge, value, attributes)
    },
    instrument.map(([, gauge]) => gauge),
  )
}
