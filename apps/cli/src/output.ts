import { styleText } from 'node:util'
import { escapeUnprintable, escapeUnprintableInJson } from '@platter/contracts'

type Style = Parameters<typeof styleText>[0]
type Styled = { format: Style; text: string }
type Stream = NodeJS.WriteStream

export const style = (format: Style, text: string): Styled => ({ format, text })

/**
 * A line for a terminal. Rows hold what clients, restaurants and processors have written: a control sequence in it is shown
 * and has no effect, so the only ones are those of our own colours. No colours where there is no terminal, or with NO_COLOR.
 */
function lineOf(parts: readonly (string | Styled)[], stream: Stream): string {
  const shown = parts.map((part) =>
    typeof part === 'string'
      ? escapeUnprintable(part)
      : styleText(part.format, escapeUnprintable(part.text), { stream }),
  )
  return `${shown.join('')}\n`
}

/** One line; a line break in it is shown as an escape. */
export const say = (...parts: (string | Styled)[]): void =>
  void process.stdout.write(lineOf(parts, process.stdout))

/** For tools: the whole answer, and nothing else on standard output. */
export const sayJson = (value: unknown): void =>
  void process.stdout.write(`${escapeUnprintableInJson(JSON.stringify(value, null, 2))}\n`)

/** What is not the answer: progress, faults. Lines stay lines: some errors have several. */
function report(text: string, toPart: (line: string) => string | Styled): void {
  for (const line of text.split('\n')) process.stderr.write(lineOf([toPart(line)], process.stderr))
}
export const note = (text: string): void => report(text, (line) => line)
export const complain = (text: string): void => report(text, (line) => style('red', line))

/** A line that is written over, on a terminal; elsewhere nothing. */
export function progress(text: string): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(`\r\u001B[K${escapeUnprintable(text).slice(0, process.stderr.columns - 1)}`)
}

/** Columns as wide as what is in them. Nothing for no rows. */
export function table(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): void {
  if (rows.length === 0) return
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '–' : escapeUnprintable(String(cell)))))
  const widths = head.map((name, at) => Math.max(name.length, ...cells.map((row) => (row[at] ?? '').length)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  say(style('dim', line(head)))
  for (const row of cells) say(line(row))
}

const two = (number: number): string => String(number).padStart(2, '0')

/** In the time zone of whoever reads it. */
export function when(epoch: number | null): string | null {
  if (epoch === null) return null
  const date = new Date(epoch * 1000)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}
