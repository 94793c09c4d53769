import { styleText } from 'node:util'
import { escapeUnprintable, escapeUnprintableInJson } from '@platter/contracts'

type Style = Parameters<typeof styleText>[0]
type Styled = { format: Style; text: string }
type Stream = NodeJS.WriteStream

export const style = (format: Style, text: string): Styled => ({ format, text })

/**
 * Renders a line for a terminal. Stored texts come from clients, restaurants and processors, so their control sequences are
 * escaped. Only the sequences of the colours take effect. No colours without a terminal, or with NO_COLOR.
 */
function lineOf(parts: readonly (string | Styled)[], stream: Stream): string {
  const shown = parts.map((part) =>
    typeof part === 'string'
      ? escapeUnprintable(part)
      : styleText(part.format, escapeUnprintable(part.text), { stream }),
  )
  return `${shown.join('')}\n`
}

/** Prints one line; a line break within it is escaped. */
export const print = (...parts: (string | Styled)[]): void =>
  void process.stdout.write(lineOf(parts, process.stdout))

/** For tools: prints the whole response, and nothing else, on standard output. */
export const printJson = (value: unknown): void =>
  void process.stdout.write(`${escapeUnprintableInJson(JSON.stringify(value, null, 2))}\n`)

/** Reports progress and errors on standard error. A message may have several lines. */
function report(text: string, toPart: (line: string) => string | Styled): void {
  for (const line of text.split('\n')) process.stderr.write(lineOf([toPart(line)], process.stderr))
}
export const printNote = (text: string): void => report(text, (line) => line)
export const printError = (text: string): void => report(text, (line) => style('red', line))

/** Replaces the last progress line on a terminal. Prints nothing elsewhere. */
export function progress(text: string): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(`\r\u001B[K${escapeUnprintable(text).slice(0, process.stderr.columns - 1)}`)
}

/** Prints columns as wide as their widest cell. Prints nothing without rows. */
export function table(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): void {
  if (rows.length === 0) return
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '–' : escapeUnprintable(String(cell)))))
  const widths = head.map((name, at) => Math.max(name.length, ...cells.map((row) => (row[at] ?? '').length)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  print(style('dim', line(head)))
  for (const row of cells) print(line(row))
}

/** "1 order", "2 orders". */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** Formats a time in the operator's time zone; `epoch` in seconds. The Swedish format is "2026-11-26 08:05:09". */
export const when = (epoch: number | null): string | null =>
  epoch === null ? null : new Date(epoch * 1000).toLocaleString('sv-SE')
