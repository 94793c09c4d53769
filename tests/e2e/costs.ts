import { markdownTable } from '../support/markdown.ts'
import { isSql, withoutLookUp, type Span } from './otlp.ts'

/* The cost of an operation, counted in its trace. The trace has no span of another request. */

/** The counted kinds of work, by the columns of costs.md. */
export const kinds = ['commits', 'selects', 'writes', 'messages', 'redis', 'calls', 'outside'] as const
export type Costs = Record<(typeof kinds)[number], number>

/** OTLP's numbers for kinds of spans. */
const SERVER = 2
const CLIENT = 3
const PRODUCER = 4

const isWrite = (span: Span) => /\b(insert|update|delete) /.test(summary(span))
const isBegin = (span: Span) => /^(begin|start)\b/.test(summary(span))
const isCommit = (span: Span) => /^commit\b/.test(summary(span))
const isControl = (span: Span) => /^(begin|start|commit|rollback|set)\b/.test(summary(span))
const summary = ({ attributes }: Span) => String(attributes['db.query.summary'] ?? '')
/** Calls between services. The request to a restaurant has no template, and its span `transmit` counts instead. */
const isCall = ({ attributes, kind }: Span) => kind === CLIENT && attributes['url.template'] !== undefined
const isOutside = ({ name }: Span) => /^(processor|transmit) /.test(name)

/** The poll of a request for progress of its order. It is repeated during the wait, and counts once. */
const WAITING = 'select orders, select sagas'

/** Counts a complete trace. It excludes the lookup of an access key, for which any request may wait once a second. */
export function costsOf(trace: readonly Span[]): Costs {
  const spans = withoutLookUp(trace)
  const sql = spans.filter(isSql)
  const statements = sql.filter((span) => !isControl(span) && summary(span) !== WAITING)
  const writes = statements.filter(isWrite)
  return {
    commits: sql.filter(isCommit).length + writes.filter((span) => !isWithinTransaction(span, sql)).length,
    selects: statements.length - writes.length + (sql.some((span) => summary(span) === WAITING) ? 1 : 0),
    writes: writes.length,
    messages: spans.filter(({ kind }) => kind === PRODUCER).length,
    redis: spans.filter(({ attributes }) => attributes['db.system.name'] === 'redis').length,
    calls: spans.filter((span) => isCall(span) && !isOutside(span)).length,
    outside: spans.filter(isOutside).length,
  }
}

/**
 * A separate write is one commit. A write between `begin` and `commit` of the same work is not. Spans are sorted by their start.
 * Spans of the same millisecond, which may be an entire transaction, are sorted by their end.
 */
function isWithinTransaction(write: Span, sql: readonly Span[]): boolean {
  const before = sql.slice(0, sql.indexOf(write))
  const beside = before.filter((span) => span.parentSpanId === write.parentSpanId)
  return beside.filter(isBegin).length > beside.filter(isCommit).length
}

/**
 * Returns true if the trace has the gateway's span, and a span of the receiver of each message and call. A receiver exports its spans
 * later.
 */
export function isWhole(spans: readonly Span[]): boolean {
  const parents = new Set(spans.map(({ parentSpanId }) => parentSpanId))
  const sent = withoutLookUp(spans).filter(
    (span) => span.kind === PRODUCER || (isCall(span) && !isOutside(span)),
  )
  const isReceived = spans.some(({ service, kind }) => service === 'gateway' && kind === SERVER)
  return isReceived && sent.every(({ spanId }) => parents.has(spanId))
}

// The table of costs.md -------------------------------------------------------------------------------------

export const COSTS_FILE = new URL('costs.md', import.meta.url)

export const writeTable = (costs: Readonly<Record<string, Costs>>): string =>
  markdownTable(
    ['', ...kinds],
    Object.entries(costs).map(([name, one]) => [name, ...kinds.map((kind) => one[kind])]),
  )

export function readTable(text: string): Record<string, Costs> {
  const [, , ...lines] = text.split('\n').filter((line) => line.startsWith('|'))
  const rows = lines.map((line) => line.split('|').map((cell) => cell.trim()))
  return Object.fromEntries(
    rows.map(([, name = '', ...counts]) => [
      name,
      Object.fromEntries(kinds.map((kind, at) => [kind, Number(counts[at])])) as Costs,
    ]),
  )
}
