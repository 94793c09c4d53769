import {
  METRICS,
  type AttributesOf,
  type MetricDeclaration,
  type MetricName,
} from '@platter/kit/telemetry/metric-catalog'

/* Names in Prometheus after it has received OTLP (UnderscoreEscapingWithSuffixes, its default). */

const SUFFIXES: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' }

const escaped = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_]/g, '_')

/** Returns the name of a metric, without the suffix of a histogram's series. */
export function prometheusName(name: MetricName): string {
  const { kind, unit }: MetricDeclaration = METRICS[name]
  const suffix = SUFFIXES[unit] ?? ''
  const total = kind === 'counter' ? '_total' : ''
  return `${escaped(name)}${kind === 'gauge' || unit !== '1' ? suffix : ''}${total}`
}

/** A text matches with `=`, a RegExp with `=~`. */
type Matchers<Name extends MetricName> = { [Label in keyof AttributesOf<Name>]?: string | RegExp } & {
  job?: string
}

/** Returns a selector of a metric. The compiler checks its labels. `part` is a series of a histogram. */
export function selector<Name extends MetricName>(
  name: Name,
  matchers: Matchers<Name> = {},
  part: '' | 'bucket' | 'count' | 'sum' = '',
): string {
  const labels = Object.entries(matchers as Record<string, string | RegExp>).map(([label, value]) =>
    value instanceof RegExp ? `${escaped(label)}=~"${value.source}"` : `${escaped(label)}="${value}"`,
  )
  const series = part === '' ? '' : `_${part}`
  return `${prometheusName(name)}${series}${labels.length > 0 ? `{${labels.join(',')}}` : ''}`
}

/** Returns the name of a label in Prometheus. */
export const label = <Name extends MetricName>(
  _name: Name,
  attribute: keyof AttributesOf<Name> & string,
): string => escaped(attribute)
