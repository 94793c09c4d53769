import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { z } from 'zod'

/**
 * One line per effect (docs/interface.md, "Development ledgers"). `at` is ISO 8601, `amount` cents. `outcome` is "approved", or
 * "declined:" with the reason; a dispute ends with a second line, "won" or "lost". A refund that fails later has a second line,
 * "failed". An authentication begins with "open". Only for replays: `id` of the authorization, and `fingerprint`, the SHA-256 of
 * the request, which detects another body under the same key.
 */
export const Entry = z.object({
  at: z.iso.datetime(),
  kind: z.enum(['authorize', 'capture', 'void', 'refund', 'dispute', 'authenticate']),
  idempotencyKey: z.string(),
  reference: z.string(),
  amount: z.int(),
  outcome: z.union([
    z.enum(['approved', 'won', 'lost', 'open', 'failed']),
    z.templateLiteral(['declined:', z.string().min(1)]),
  ]),
  id: z.string(),
  fingerprint: z.string(),
  /** The idempotency key of the refund that has failed. */
  failed: z.string().optional(),
  dispute: z.object({ id: z.string(), reason: z.string(), isRefundable: z.boolean().optional() }).optional(),
  authentication: z
    .object({
      token: z.string(),
      returnUrl: z.string().nullable(),
      /** The name on the card statement. */
      payee: z.string().optional(),
    })
    .optional(),
})
export type Entry = z.infer<typeof Entry>

/** Reads the lines of a file and opens it for appending. Throws for an invalid line. */
export function openLines<T>(file: string, schema: z.ZodType<T>): { entries: T[]; lines: Lines<T> } {
  const descriptor = openSync(file, 'a+')
  try {
    const text = readFileSync(descriptor, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    // A crash has cut off the last line. Its request had no response, so the line is removed.
    if (whole.length < text.length) {
      ftruncateSync(descriptor, Buffer.byteLength(whole))
      fsyncSync(descriptor)
    }
    const entries = whole
      .split('\n')
      .slice(0, -1)
      .map((line, index) => parseLine(line, schema, `${file}:${index + 1}`))
    return { entries, lines: new Lines(open(file, 'a')) }
  } finally {
    closeSync(descriptor)
  }
}

function parseLine<T>(line: string, schema: z.ZodType<T>, where: string): T {
  try {
    return schema.parse(JSON.parse(line))
  } catch (cause) {
    throw new Error(`${where} is not a line of this file`, { cause })
  }
}

export type Ledger = Lines<Entry>

/** Appends lines in order. Lines that arrive during a write share the next write and its fsync. */
export class Lines<T> {
  readonly #file: Promise<FileHandle>
  #waiting: string[] = []
  /** The write of the newest line. It stays rejected after a failure, because no line may follow a gap. */
  #last: Promise<void>

  constructor(file: Promise<FileHandle>) {
    this.#file = file
    this.#last = file.then(() => undefined)
    this.#last.catch(() => 'callers of append and the readiness check receive the error')
  }

  /** Resolves when the line is on the disk. */
  append(entry: T): Promise<void> {
    this.#waiting.push(`${JSON.stringify(entry)}\n`)
    if (this.#waiting.length === 1) {
      this.#last = this.#last.then(() => this.#write())
      this.#last.catch(() => 'as above')
    }
    return this.#last
  }

  /** Resolves when all appended lines are on the disk; rejects after a failed write. */
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
