import { z } from 'zod'
import { openLines, type Lines } from './ledger.ts'

const details = {
  brand: z.string().regex(/^[a-z]{1,20}$/),
  lastFour: z.string().regex(/^\d{4}$/),
  expirationMonth: z.string().regex(/^(0[1-9]|1[0-2])$/),
  expirationYear: z.string().regex(/^\d{2}$/),
}
/** The replacement for the card of a token. */
export const Replacement = z.object({ token: z.string(), ...details })
export type Replacement = z.infer<typeof Replacement>

/** A change of a card after its exchange for a token; a token itself is not stored. */
const Line = z.discriminatedUnion('kind', [
  z.object({ at: z.iso.datetime(), kind: z.literal('detach'), token: z.string() }),
  Replacement.extend({ at: z.iso.datetime(), kind: z.literal('replace') }),
])
type Line = z.infer<typeof Line>

/**
 * The cards that were detached, or replaced by their banks: a fold over the lines of a file beside the ledger, so a restart changes
 * nothing.
 */
export class SavedCards {
  readonly #detached = new Set<string>()
  readonly #replaced = new Map<string, Replacement>()
  readonly #lines: Lines<Line>

  constructor(entries: readonly Line[], lines: Lines<Line>) {
    this.#lines = lines
    for (const entry of entries) this.#apply(entry)
  }

  isDetached(token: string): boolean {
    return this.#detached.has(token)
  }

  /**
   * Returns the details of a card that its bank has replaced. Null for any other card, because a token does not contain its
   * details.
   */
  find(token: string): Omit<Replacement, 'token'> | null {
    const found = this.#replaced.get(token)
    if (!found) return null
    const { brand, lastFour, expirationMonth, expirationYear } = found
    return { brand, lastFour, expirationMonth, expirationYear }
  }

  /** Replaces a card; the token stays the same. Resolves when the line is on the disk. */
  async replace(replacement: Replacement, now: Date): Promise<void> {
    const line = { ...replacement, at: now.toISOString(), kind: 'replace' } as const
    this.#apply(line)
    await this.#lines.append(line)
  }

  /** Resolves when the line is on the disk. A second detachment adds no line. */
  async detach(token: string, now: Date): Promise<void> {
    if (this.#detached.has(token)) return this.#lines.settled()
    const line = { at: now.toISOString(), kind: 'detach', token } as const
    this.#apply(line)
    await this.#lines.append(line)
  }

  async close(): Promise<void> {
    await this.#lines.close()
  }

  #apply(line: Line): void {
    if (line.kind === 'detach') this.#detached.add(line.token)
    else this.#replaced.set(line.token, line)
  }
}

/** Throws for an invalid line. */
export function openSavedCards(ledgerFile: string): SavedCards {
  const { entries, lines } = openLines(`${ledgerFile}.cards`, Line)
  return new SavedCards(entries, lines)
}
