import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'
import { markdownTable as table } from '../support/markdown.ts'
import type { Options } from './options.ts'
import { verdictsOf } from './targets.ts'

/** A table, and the figures for the targets. Times are in ms and memory in MB. All figures are medians of the rounds. */
export type Section = {
  name: string
  about: string
  columns: readonly string[]
  lines: readonly (readonly (string | number)[])[]
  values: Readonly<Record<string, number>>
}

export type Report = {
  at: string
  commit: string
  /** The commit for the comparison. Null in a run of the working tree alone. */
  against: string | null
  machine: { cores: number; model: string; node: string }
  options: Pick<Options, 'seconds' | 'rounds'>
  sections: readonly Section[]
}

export const describeRun = ({ seconds, rounds, againstCommit }: Options): Omit<Report, 'sections'> => ({
  at: new Date().toISOString(),
  commit: execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim(),
  against: againstCommit,
  machine: { cores: availableParallelism(), model: cpus()[0]?.model ?? 'unknown', node: process.version },
  options: { seconds, rounds },
})

/** Returns the tables of a report. */
export function markdown(report: Report): string {
  return [
    `Measured at ${report.commit}${report.against === null ? '' : ` against ${report.against}`} on ${report.at.slice(0, 10)}: ${report.machine.cores} × ${report.machine.model}, ` +
      `Node ${report.machine.node}; ${report.options.rounds} rounds of ${report.options.seconds} s.`,
    '### Targets',
    table(['what', 'wanted', 'measured', ''], verdictsOf(report)),
    ...report.sections.flatMap(({ name, about, columns, lines }) => [
      `### ${name}`,
      about,
      table(columns, lines),
    ]),
  ].join('\n\n')
}

/** Formats a value with three significant digits. */
export const digits = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3)
