import { changeTimes, ImportedAccessKeys } from '@platter/contracts'
import { Cache, newRequestId, Problem, type internalCaller } from '@platter/kit'

/** An imported key is accepted after this time at the latest; random keys cost accounts one request in this time. */
const FRESH_MS = changeTimes.importedKeys

/** What an operator may import (contracts, `ExistingKey`): nothing that looks like a key of ours that was mistyped. */
const SHAPE = /^(?!platter_(?:live|test)_)[\u0021-\u007e]{16,128}$/

/** The one key in the cache. */
const LIST = 'imported'

type Imported = { version: string; hashes: ReadonlySet<string> }

/** Whether a text can be an imported key at all. */
export const mayBeImported = (text: string): boolean => SHAPE.test(text)

/**
 * The hashes of imported keys, which have no checksum that would expose a random key. A million random keys beside
 * 100,000 imported ones took 1.7 s of CPU and 9 requests to accounts.
 */
export class ImportedKeys {
  readonly #call: ReturnType<typeof internalCaller>
  readonly #known: Cache<Imported>

  constructor(call: ReturnType<typeof internalCaller>, clock: { now: () => number } = performance) {
    this.#call = call
    this.#known = new Cache({ maxEntries: 1, ttlMs: FRESH_MS, clock })
  }

  /** Whether a key of that hash is imported. Rejects with service-unavailable when accounts was never reached. */
  async has(hash: string): Promise<boolean> {
    if (this.#known.peek(LIST)?.hashes.has(hash)) return true
    const known = await this.#known.load(LIST, (expired) => this.#read(expired))
    return known?.hashes.has(hash) ?? false
  }

  async #read(known: Imported | undefined): Promise<Imported> {
    try {
      const asked = { known: known?.version ?? null }
      const { version, hashes } = await this.#call(ImportedAccessKeys, asked, { requestId: newRequestId() })
      return known && !hashes ? known : { version, hashes: new Set(hashes) }
    } catch (error) {
      // The hashes that were read before stay in use.
      if (known && error instanceof Problem) return known
      throw error
    }
  }
}
