import { changeTimes, ImportedAccessKeys } from '@platter/contracts'
import { newRequestId, Problem, type internalCaller } from '@platter/kit'

/** An imported key is accepted after this time at the latest; random keys cost accounts one request in this time. */
const FRESH_MS = changeTimes.importedKeys

/** What an operator may import (contracts, `ExistingKey`): nothing that looks like a key of ours that was mistyped. */
const SHAPE = /^(?!platter_(?:live|test)_)[\u0021-\u007e]{16,128}$/

/** Whether a text can be an imported key at all. */
export const mayBeImported = (text: string): boolean => SHAPE.test(text)

/**
 * The hashes of imported keys, which have no checksum that would expose a random key. A million random keys beside
 * 100,000 imported ones took 1.7 s of CPU and 9 requests to accounts.
 */
export class ImportedKeys {
  readonly #call: ReturnType<typeof internalCaller>
  readonly #clock: { now: () => number }
  #known: { version: string; hashes: ReadonlySet<string> } | null = null
  #freshUntil = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  constructor(call: ReturnType<typeof internalCaller>, clock: { now: () => number } = performance) {
    this.#call = call
    this.#clock = clock
  }

  /** Whether a key of that hash is imported. Rejects with service-unavailable when accounts was never reached. */
  async has(hash: string): Promise<boolean> {
    if (this.#known?.hashes.has(hash)) return true
    if (this.#clock.now() < this.#freshUntil) return false
    this.#reading ??= this.#read().finally(() => (this.#reading = null))
    await this.#reading
    return this.#known?.hashes.has(hash) ?? false
  }

  async #read(): Promise<void> {
    // A key that is imported during the request is not in the response.
    const readAt = this.#clock.now()
    try {
      const { version, hashes } = await this.#call(
        ImportedAccessKeys,
        { known: this.#known?.version ?? null },
        { requestId: newRequestId() },
      )
      if (hashes) this.#known = { version, hashes: new Set(hashes) }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      // The hashes that were read before stay in use. During an upgrade an accounts replica may not have the endpoint yet.
      if (error.status === 503 && !this.#known) throw error
    }
    this.#freshUntil = readAt + FRESH_MS
  }
}
