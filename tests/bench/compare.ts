import type { Row } from './measure.ts'
import { markdownTable } from '../markdown.ts'
import type { Report } from './report.ts'

/** A row of two reports. Ratios are compared, which other machines and their other work move little. */
export type Change = {
  subject: string
  clients: number
  before: number
  after: number
  /** By how much it may differ and mean nothing: the noise of both. */
  bound: number
  verdict: 'worse' | 'better' | 'same'
}

/** Every row that both have, and that is held against the same limits in both. */
export function compare(before: Report, after: Report): Change[] {
  return after.rows.flatMap((row) => {
    const old = before.rows.find(({ subject, clients }) => subject === row.subject && clients === row.clients)
    return old?.ratio && row.ratio && sameLimits(old, row) ? [changeOf(old.ratio, row.ratio, row)] : []
  })
}

const sameLimits = (one: Row, other: Row) => String(one.ratio?.to) === String(other.ratio?.to)

function changeOf(
  before: NonNullable<Row['ratio']>,
  after: NonNullable<Row['ratio']>,
  { subject, clients }: Row,
): Change {
  const bound = before.noise + after.noise
  const change = after.value / before.value
  const verdict = change > 1 + bound ? 'worse' : change < 1 / (1 + bound) ? 'better' : 'same'
  return { subject, clients, before: before.value, after: after.value, bound, verdict }
}

export const comparison = (changes: readonly Change[]): string =>
  markdownTable(
    ['operation', 'clients', '× limit before', '× limit now', 'change', 'noise', ''],
    changes.map(({ subject, clients, before, after, bound, verdict }) => [
      subject,
      clients,
      before.toFixed(2),
      after.toFixed(2),
      `${((after / before - 1) * 100).toFixed(0)} %`,
      `±${(bound * 100).toFixed(0)} %`,
      verdict,
    ]),
  )
