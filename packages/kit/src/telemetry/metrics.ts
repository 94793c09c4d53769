import {
  metrics,
  type Counter,
  type Histogram,
  type MetricOptions,
  type ObservableGauge,
} from '@opentelemetry/api'
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

/** Adds a value of a gauge to the current export. */
type ReportGauge<Name extends GaugeName> = <Each extends Name>(
  name: Each,
  value: number,
  attributes?: AttributesOf<Each>,
) => void

/** Registers gauges. `read` reports their values at each export of metrics. If it rejects, the other values are omitted. */
export function observe<Name extends GaugeName>(
  names: readonly Name[],
  read: (report: ReportGauge<Name>) => Promise<void> | void,
): void {
  if (!isTelemetryOn()) return
  const gauges = Object.fromEntries(
    names.map((name) => [name, meter().createObservableGauge(name, optionsOf(name))]),
  ) as Record<Name, ObservableGauge>
  meter().addBatchObservableCallback(async (result) => {
    try {
      await read((name, value, attributes) => result.observe(gauges[name], value, attributes))
    } catch {
      // Readiness checks and logs already report the unavailable dependency.
    }
  }, Object.values<ObservableGauge>(gauges))
}
