import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { context, diag, DiagLogLevel, metrics, propagation, trace, type Attributes } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
  type Resource,
} from '@opentelemetry/resources'
import {
  AggregationTemporality,
  InstrumentType,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { Deadline } from '#/http/deadline.ts'
import type { TelemetryConfig } from '#/lifecycle/config.ts'
import { enableTelemetry, type Sampling } from '#/telemetry/spans.ts'

/* Imported only if OTEL_EXPORTER_OTLP_ENDPOINT is set: the import takes 80 ms of CPU and 10 MB. */

/** The export interval of spans. A full batch (512) is exported at once. */
const EXPORT_DELAY_MS = 1_000
/** The maximum time for which the last export may delay the end of a process. */
const FLUSH_TIMEOUT_MS = 1_000

/**
 * Starts the SDK, which exports spans and metrics to the OTLP receiver. The exporters read OTEL_EXPORTER_OTLP_*. `onFailure`
 * receives the reason of a failed export. Returns a function that stops the SDK and exports the rest within a second.
 */
export function startTelemetry(
  service: string,
  config: TelemetryConfig,
  onFailure: (reason: string) => void,
): () => Promise<void> {
  diag.setLogger(
    { ...quiet, error: onFailure, warn: onFailure },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  // No baggage: a client must not add to the context.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const resource = resourceOf(service)
  const providers = [
    startTraces(resource),
    ...(config.OTEL_METRICS_EXPORTER === 'otlp' ? [startMetrics(resource, config)] : []),
  ]
  const disableTelemetry = enableTelemetry(samplingOf(config))
  return async function stop(): Promise<void> {
    disableTelemetry()
    const flushed = Promise.allSettled(providers.map((provider) => provider.shutdown()))
    await Deadline.in(FLUSH_TIMEOUT_MS).race(flushed)
  }
}

function samplingOf({
  OTEL_TRACES_SAMPLER: name,
  OTEL_TRACES_SAMPLER_ARG: share,
}: TelemetryConfig): Sampling {
  const ratio = name.endsWith('always_on') ? 1 : name.endsWith('always_off') ? 0 : share
  return { isParentBased: name.startsWith('parentbased_'), ratio }
}

const quiet = { verbose: () => undefined, debug: () => undefined, info: () => undefined }

/** Returns the resource. OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence over these attributes. */
function resourceOf(service: string): Resource {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const defaults: Attributes = {
    'service.namespace': 'platter',
    'service.name': service,
    'service.version': (JSON.parse(manifest) as { version: string }).version,
    'service.instance.id': randomUUID(),
    'process.pid': process.pid,
  }
  return resourceFromAttributes(defaults).merge(
    detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
  )
}

function startTraces(resource: Resource): TracerProvider {
  const exporter = new OTLPTraceExporter()
  // A full queue (2,048 spans) discards new spans, so that an unavailable receiver does not increase memory use.
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_DELAY_MS })
  // `spans.ts` makes the sampling decision and starts only recorded spans.
  const sampler = new AlwaysOnSampler()
  const provider = new TracerProvider({ resource, sampler, spanProcessors: [processor] })
  trace.setGlobalTracerProvider(provider)
  return provider
}

/**
 * With cumulative temporality the SDK repeats the last value of each attribute that it ever observed: an incident that has ended
 * would stay open, and its alert would not end before the process does. An exported gauge has no temporality.
 */
class MetricExporter extends OTLPMetricExporter {
  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    return type === InstrumentType.OBSERVABLE_GAUGE
      ? AggregationTemporality.DELTA
      : super.selectAggregationTemporality(type)
  }
}

function startMetrics(resource: Resource, config: TelemetryConfig): MeterProvider {
  const reader = new PeriodicExportingMetricReader({
    exporter: new MetricExporter(),
    exportIntervalMillis: config.OTEL_METRIC_EXPORT_INTERVAL,
    exportTimeoutMillis: Math.min(config.OTEL_METRIC_EXPORT_INTERVAL, 10_000),
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  metrics.setGlobalMeterProvider(provider)
  return provider
}
