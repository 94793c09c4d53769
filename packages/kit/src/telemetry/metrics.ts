import {
  metrics,
  type Attributes,
  type Counter,
  type Histogram,
  type MetricOptions,
} from '@opentelemetry/api'
import { isTelemetryOn, SCOPE } from '#/telemetry/spans.ts'

const meter = () => metrics.getMeter(SCOPE)

/** Created at its first use: an instrument that is created before the SDK starts never records. */
export function counter(name: string, options: MetricOptions) {
  let made: Counter | undefined
  return (attributes: Attributes): void => {
    if (isTelemetryOn()) (made ??= meter().createCounter(name, options)).add(1, attributes)
  }
}

/** Like `counter`; takes values in the unit of the options. */
export function histogram(name: string, options: MetricOptions) {
  let made: Histogram | undefined
  return (value: number, attributes: Attributes): void => {
    if (isTelemetryOn()) (made ??= meter().createHistogram(name, options)).record(value, attributes)
  }
}

export type Observed = { value: number; attributes?: Attributes }

/**
 * Gauges that are read when metrics are exported, once an interval. `read` resolves to the values of each name; a
 * rejection leaves them out this time.
 */
export function observe<Name extends string>(
  gauges: Record<Name, MetricOptions>,
  read: () => Promise<Record<Name, Observed[]>> | Record<Name, Observed[]>,
): void {
  if (!isTelemetryOn()) return
  const made = Object.entries<MetricOptions>(gauges).map(
    ([name, options]) => [name as Name, meter().createObservableGauge(name, options)] as const,
  )
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
