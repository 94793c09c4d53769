import { markdownTable as table } from '../support/markdown.ts'
import { verdictsOf } from './targets.ts'

/** A table, and the figures for the targets. Times are in ms and memory in MB. All figures are medians of the rounds. */
export type Section = {
  name: string
  about: string
  columns: readonly string[]
  lines: readonly (readonly (string | number)[])[]
  values: Readonly<Record<string, number>>
}

/** Returns the tables of a report. */
export const markdown = (sections: readonly Section[]): string =>
  [
    '### Targets',
    table(['what', 'wanted', 'measured', ''], verdictsOf(sections)),
    ...sections.flatMap(({ name, about, columns, lines }) => [`### ${name}`, about, table(columns, lines)]),
  ].join('\n\n')

/** Formats a value with three significant digits. */
export const digits = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3)
