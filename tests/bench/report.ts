import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'
import { serviceNames } from '../../dev/stack/services.ts'
import { markdownTable as table } from '../support/markdown.ts'
import type { Ratio } from './measure.ts'
import type { Options } from './options.ts'
import type { Subject } from './subjects.ts'
import { verdictsOf } from './targets.ts'

/** A table, and the figures that the targets read. */
export type Section = {
  name: string
  about: string
  columns: readonly string[]
  lines: readonly (readonly (string | number)[])[]
  values: Readonly<Record<string, number>>
}

/** A subject at a number of clients: medians of the rounds. Times in ms, memory in MB. */
export type Row = {
  subject: string
  kind: Subject['kind']
  about: string
  clients: number
  perSecond: number
  p50: number
  p99: number
  failed: number
  /** CPU of one operation, all its processes together. */
  cpu: number
  byProcess: Readonly<Record<string, number>>
  /** At the peak, the largest process of each group. */
  memory: Readonly<Record<string, number>>
  /** Its CPU divided by that of its limits together; null for a limit. */
  ratio: Ratio | null
}

export type Report = {
  at: string
  commit: string
  /** The commit that it is compared with; null in a run of the working tree alone. */
  against: string | null
  machine: { cores: number; model: string; node: string }
  options: Pick<Options, 'seconds' | 'rounds'>
  rows: readonly Row[]
  sections: readonly Section[]
}

export const describeRun = ({
  seconds,
  rounds,
  againstCommit,
}: Options): Omit<Report, 'rows' | 'sections'> => ({
  at: new Date().toISOString(),
  commit: execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim(),
  against: againstCommit,
  machine: { cores: availableParallelism(), model: cpus()[0]?.model ?? 'unknown', node: process.version },
  options: { seconds, rounds },
})

/** The tables of a report. */
export function markdown(report: Report): string {
  return [
    `Measured at ${report.commit}${report.against === null ? '' : ` against ${report.against}`} on ${report.at.slice(0, 10)}: ${report.machine.cores} × ${report.machine.model}, ` +
      `Node ${report.machine.node}; ${report.options.rounds} rounds of ${report.options.seconds} s.`,
    '### Targets',
    targetTable(report),
    ...(report.rows.length === 0 ? [] : ['### Operations and their limits', operationTable(report)]),
    ...(report.rows.length === 0 ? [] : ['### CPU by process', processTable(report)]),
    ...report.sections.flatMap(({ name, about, columns, lines }) => [
      `### ${name}`,
      about,
      table(columns, lines),
    ]),
  ].join('\n\n')
}

const targetTable = (report: Report) =>
  table(
    ['what', 'wanted', 'measured', ''],
    verdictsOf(report).map(({ claim, wanted, measured, result }) => [claim, wanted, measured, result]),
  )

function operationTable({ rows }: Report): string {
  return table(
    ['', 'clients', 'CPU ms', '× limit', 'a second', 'p50 ms', 'p99 ms', 'memory MB', 'failed'],
    rows.map((row) => [
      row.kind === 'limit' ? `_${row.subject}_` : `**${row.subject}**: ${row.about}`,
      row.clients,
      digits(row.cpu),
      row.ratio ? `${row.ratio.value.toFixed(2)} ±${Math.round(row.ratio.noise * 100)} %` : '',
      Math.round(row.perSecond),
      digits(row.p50),
      digits(row.p99),
      largest(row),
      row.failed,
    ]),
  )
}

/** Of the services only: the memory of a server is a matter of its settings. */
const largest = ({ kind, memory }: Row): number =>
  Math.max(
    ...Object.keys(memory).map((name) => (kind === 'limit' || isService(name) ? (memory[name] ?? 0) : 0)),
  )
const isService = (name: string) => (serviceNames as readonly string[]).includes(name)

function processTable({ rows }: Report): string {
  const processes = [...new Set(rows.flatMap(({ byProcess }) => Object.keys(byProcess)))]
  return table(
    ['ms an operation', 'clients', ...processes],
    rows.map((row) => [
      row.subject,
      row.clients,
      ...processes.map((name) => (row.byProcess[name] === undefined ? '' : digits(row.byProcess[name]))),
    ]),
  )
}

/** Three significant digits. */
export const digits = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3)
