import { readFileSync } from 'node:fs'
import { markdownTable } from '../support/markdown.ts'

/* The table of costs.md. Tests compare their counts with it, and the bench reads hops from it. */

/** The counted kinds of work, by the columns of costs.md. */
export const kinds = ['commits', 'selects', 'writes', 'messages', 'redis', 'calls', 'outside'] as const
export type Costs = Record<(typeof kinds)[number], number>

export const COSTS_FILE = new URL('costs.md', import.meta.url)

/** Returns the table of costs.md. */
export const recordedCosts = (): Record<string, Costs> => readTable(readFileSync(COSTS_FILE, 'utf8'))

export const writeTable = (costs: Readonly<Record<string, Costs>>): string =>
  markdownTable(
    ['', ...kinds],
    Object.entries(costs).map(([name, one]) => [name, ...kinds.map((kind) => one[kind])]),
  )

export function readTable(text: string): Record<string, Costs> {
  const [, , ...lines] = text.split('\n').filter((line) => line.startsWith('|'))
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...counts] = line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
      return [name, Object.fromEntries(kinds.map((kind, at) => [kind, Number(counts[at])])) as Costs]
    }),
  )
}
