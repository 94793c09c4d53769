import { z } from 'zod'
import { openLines, type Lines } from './ledger.ts'

/** What happened to a card after its exchange for a token; a token itself is stored nowhere. */
const Line = z.object({ at: z.iso.datetime(), kind: z.literal('detach'), token: z.string() })
type Line = z.infer<typeof Line>

/** The cards that were detached: a fold over the lines of a file beside the ledger, so that a restart changes nothing. */
export class SavedCards {
  readonly #detached = new Set<string>()
  readonly #lines: Lines<Line> | null

  /** Without lines the changes are kept in memory only. */
  constructor(entries: readonly Line[] = [], lines: Lines<Line> | null = null) {
    this.#lines = lines
    for (const entry of entries) this.#apply(entry)
  }

  isDetached(token: string): boolean {
    return this.#detached.has(token)
  }

  /** Resolves when the line is on the disk. A second detachment adds no line. */
  async detach(token: string, now: Date): Promise<void> {
    if (this.#detached.has(token)) return this.#lines?.settled()
    const line = { at: now.toISOString(), kind: 'detach', token } as const
    this.#apply(line)
    await this.#lines?.append(line)
  }

  async close(): Promise<void> {
    await this.#lines?.close()
  }

  #apply({ token }: Line): void {
    this.#detached.add(token)
  }
}

/** Throws for an invalid line. */
export function openSavedCards(ledgerFile: string): SavedCards {
  const { entries, lines } = openLines(`${ledgerFile}.cards`, Line)
  return new SavedCards(entries, lines)
}
