import { changeTimes, ImportedAccessKeys } from '@platter/contracts'
import { Cache, newRequestId, Problem, type internalCaller } from '@platter/kit'

/** An imported key is accepted after this time at the latest. Random keys cost accounts one request in this time. */
const FRESH_MS = changeTimes.importedKeys

/** The keys that an operator may import (contracts, `ExistingKey`). The pattern excludes mistyped keys of Platter. */
const SHAPE = /^(?!platter_(?:live|test)_)[\u0021-\u007e]{16,128}$/

/** The only key of the cache. */
const LIST = 'imported'

type Imported = { version: string; hashes: ReadonlySet<string> }

/** Returns whether a text may be an imported key. */
export const mayBeImported = (text: string): boolean => SHAPE.test(text)

/**
 * The hashes of imported keys. Imported keys have no checksum that would expose a random key. A million random keys beside 100,000
 * imported keys took 1.7 s of CPU and 9 requests to accounts.
 */
export class ImportedKeys {
  readonly #call: ReturnType<typeof internalCaller>
  readonly #known = new Cache<Imported>({ maxEntries: 1, ttlMs: FRESH_MS })

  constructor(call: ReturnType<typeof internalCaller>) {
    this.#call = call
  }

  /** Returns whether a key with that hash is imported. Rejects with service-unavailable if accounts was never reached. */
  async has(hash: string): Promise<boolean> {
    if (this.#known.peek(LIST)?.hashes.has(hash)) return true
    const known = await this.#known.load(LIST, (expired) => this.#read(expired))
    return known.hashes.has(hash)
  }

  async #read(known: Imported | undefined): Promise<Imported> {
    try {
      const request = { known: known?.version ?? null }
      const { version, hashes } = await this.#call(ImportedAccessKeys, request, { requestId: newRequestId() })
      return known && !hashes ? known : { version, hashes: new Set(hashes) }
    } catch (error) {
      // The previously read hashes stay in use.
      if (known && error instanceof Problem) return known
      throw error
    }
  }
}
