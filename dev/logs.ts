import { open } from 'node:fs/promises'
import { join } from 'node:path'
import pretty from 'pino-pretty'
import { serviceNames } from './stack/services.ts'

const everyMs = 250

/** Prints the new log lines of the services: formatted on a terminal, unchanged elsewhere. Returns a function that stops it. */
export function followLogs(folder: string, print: (line: string) => void, isTerminal: boolean): () => void {
  const readable = pretty.prettyFactory({
    colorize: isTerminal,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,service,trace_id,span_id',
    messageFormat: '{service} {msg}',
    singleLine: true,
  })
  const show = (line: string) => print(isTerminal ? readable(line).trimEnd() : line)
  const files = serviceNames.map((name) => new Tail(join(folder, `${name}.log`), show))
  const timer = setInterval(() => void Promise.all(files.map((file) => file.read())), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Reads the lines that are appended to a file after the first read. */
class Tail {
  readonly #path: string
  readonly #show: (line: string) => void
  #at: number | null = null
  #rest = ''
  #isReading = false

  constructor(path: string, show: (line: string) => void) {
    this.#path = path
    this.#show = show
  }

  async read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      await using file = await open(this.#path)
      const { size } = await file.stat()
      const from = Math.min(this.#at ?? size, size)
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - from), position: from })
      this.#at = from + bytesRead
      const lines = (this.#rest + buffer.toString('utf8', 0, bytesRead)).split('\n')
      this.#rest = lines.pop() ?? ''
      for (const line of lines) this.#show(line)
    } catch {
      // The file is being rotated, or does not exist yet; the next read retries.
    } finally {
      this.#isReading = false
    }
  }
}
