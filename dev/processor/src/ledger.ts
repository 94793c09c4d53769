import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { z } from 'zod'

/**
 * One effect, one line (docs/interface.md, "Development ledgers"). `at` is ISO 8601, `amount` cents, `outcome`
 * "approved" or "declined:" and the reason. What replay needs besides: `id`, the authorization's, and
 * `fingerprint`, the SHA-256 of the request, by which the same key with another body is noticed.
 */
export const Entry = z.object({
  at: z.iso.datetime(),
  kind: z.enum(['authorize', 'capture', 'void', 'refund']),
  idempotencyKey: z.string(),
  reference: z.string(),
  amount: z.int(),
  outcome: z.union([z.literal('approved'), z.templateLiteral(['declined:', z.string().min(1)])]),
  id: z.string(),
  fingerprint: z.string(),
})
export type Entry = z.infer<typeof Entry>

/** Reads what happened so far and opens the file for more. Throws for a line that is no entry. */
export function openLedger(file: string): { entries: Entry[]; ledger: Ledger } {
  const descriptor = openSync(file, 'a+')
  try {
    const text = readFileSync(descriptor, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    // A last line without its end was cut off by a crash, and so was never answered: it did not happen.
    if (whole.length < text.length) {
      ftruncateSync(descriptor, Buffer.byteLength(whole))
      fsyncSync(descriptor)
    }
    const entries = whole
      .split('\n')
      .slice(0, -1)
      .map((line, index) => parseLine(line, `${file}:${index + 1}`))
    return { entries, ledger: new Ledger(open(file, 'a')) }
  } finally {
    closeSync(descriptor)
  }
}

function parseLine(line: string, where: string): Entry {
  try {
    return Entry.parse(JSON.parse(line))
  } catch (cause) {
    throw new Error(`${where} is not an entry of the ledger`, { cause })
  }
}

/** Appends in order. What is asked for while a write is under way shares the next write and its fsync. */
export class Ledger {
  readonly #file: Promise<FileHandle>
  #waiting: string[] = []
  /** The write that holds the newest line. A failed one stays: what follows a gap must not be written. */
  #last: Promise<void>

  constructor(file: Promise<FileHandle>) {
    this.#file = file
    this.#last = file.then(() => undefined)
    this.#last.catch(() => 'whoever waits for a line sees it, and so does the readiness check')
  }

  /** Resolves when the line is on the disk. */
  append(entry: Entry): Promise<void> {
    this.#waiting.push(`${JSON.stringify(entry)}\n`)
    if (this.#waiting.length === 1) {
      this.#last = this.#last.then(() => this.#write())
      this.#last.catch(() => 'as above')
    }
    return this.#last
  }

  /** Resolves when everything appended so far is on the disk; rejects when it never will be. */
  settled(): Promise<void> {
    return this.#last
  }

  async close(): Promise<void> {
    await this.#last
    await (await this.#file).close()
  }

  async #write(): Promise<void> {
    const lines = this.#waiting.join('')
    this.#waiting = []
    const file = await this.#file
    await file.appendFile(lines)
    await file.datasync()
  }
}
