import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Colours on a terminal only, and none with NO_COLOR: styleText looks for both. */
export const style = (format: Style, text: string): string =>
  styleText(format, text, { stream: process.stdout })
const styleError = (format: Style, text: string): string =>
  styleText(format, text, { stream: process.stderr })

export const say = (line = ''): void => void process.stdout.write(`${line}\n`)

/** For tools: the whole answer, and nothing else on standard output. */
export const sayJson = (value: unknown): void => say(JSON.stringify(value, null, 2))

/** What is not the answer: progress, faults. */
export const note = (line: string): void => void process.stderr.write(`${line}\n`)
export const complain = (line: string): void => note(styleError('red', line))

/** A line that is written over, on a terminal; elsewhere nothing. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text.slice(0, process.stderr.columns - 1)}`)
}

/** Columns as wide as what is in them. Nothing for no rows. */
export function table(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): void {
  if (rows.length === 0) return
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '–' : String(cell))))
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
