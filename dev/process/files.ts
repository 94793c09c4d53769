import { closeSync, fstatSync, openSync, readSync, renameSync, statSync, writeFileSync } from 'node:fs'

/**
 * Replaces a file atomically. Mode 0600, because these files contain keys. Flushed, because some file systems would otherwise leave
 * an empty file after a power failure.
 */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}.new`
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  renameSync(draft, file)
}

/** Renames a log file of more than 10 MB to `.1`, which replaces an older one. */
export function rotateLog(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > 10_000_000) renameSync(file, `${file}.1`)
}

/** Returns the last 15 lines of a log after `from` bytes; reads at most 8 KB. */
export function endOfLog(file: string, from: number): string {
  const handle = openSync(file, 'r')
  try {
    const { size } = fstatSync(handle)
    const start = Math.max(from, size - 8192)
    const bytes = Buffer.alloc(Math.max(0, size - start))
    readSync(handle, bytes, 0, bytes.length, start)
    return bytes.toString('utf8').trimEnd().split('\n').slice(-15).join('\n')
  } finally {
    closeSync(handle)
  }
}
