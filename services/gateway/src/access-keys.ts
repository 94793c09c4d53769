import { changeTimes, ResolveAccessKey, type Caller } from '@platter/contracts'
import {
  Cache,
  hashAccessKey,
  looksLikeAccessKey,
  newRequestId,
  Problem,
  type internalCaller,
} from '@platter/kit'
import { badCredentials } from '#/bad-credentials.ts'

/** While accounts is unavailable, a cached principal stays usable for this time (docs/decisions/0005-access-key-cache.md). */
const USABLE_MS = 30_000
const MAX_KNOWN = 10_000

/** The keys that an operator may import (contracts, `ExistingKey`). The pattern excludes mistyped keys of Platter. */
const IMPORTED = /^(?!platter_(?:live|test)_)[\u0021-\u007e]{16,128}$/

/** `at`: the time of the request to accounts, by `performance.now()`. A later revocation is not included. */
type Known = { principal: Caller | null; at: number }

/** Resolves access keys to principals. The key never leaves this process; accounts receives its hash. */
export class AccessKeys {
  readonly #call: ReturnType<typeof internalCaller>
  /** A revocation takes effect within a second, because the cached principal expires. */
  readonly #known = new Cache<Known>({ maxEntries: MAX_KNOWN, ttlMs: changeTimes.accessKey })
  readonly #badKeys = badCredentials('access key')

  constructor(call: ReturnType<typeof internalCaller>) {
    this.#call = call
  }

  /**
   * Returns the principal of the key. Throws Problem access-token-missing, access-token-invalid, rate-limited or
   * service-unavailable.
   */
  async principalOf(
    accessKey: string | undefined,
    { requestId, address }: { requestId: string; address: string },
  ): Promise<Caller> {
    if (accessKey === undefined || accessKey === '') {
      throw new Problem('access-token-missing', 'Send your access key in the header X-Access-Token.')
    }
    const mayBeValid = looksLikeAccessKey(accessKey) || IMPORTED.test(accessKey)
    const hash = mayBeValid ? hashAccessKey(accessKey) : null
    // A cached valid key is not affected by another client that guesses keys from the same address.
    if (hash === null || !this.#known.peek(hash)?.principal) await this.#badKeys.check(address)
    const principal = hash === null ? null : await this.#find(hash, requestId)
    if (principal) return principal
    await this.#badKeys.count(address)
    throw new Problem('access-token-invalid')
  }

  /**
   * Returns the principal of a recently valid key; null for any other key. An expired entry is used while it is revalidated, so the
   * rejection of an overload does not wait for accounts.
   */
  lastKnown(accessKey: string): Caller | null {
    const hash = hashAccessKey(accessKey)
    const known = this.#known.peek(hash)
    if (!known?.principal || performance.now() - known.at >= USABLE_MS) return null
    // The admission of the request resolves an expired key again and reports the error.
    if (!this.#known.get(hash)) this.#find(hash, newRequestId()).catch(() => null)
    return known.principal
  }

  /**
   * Returns whether an admitted key is still neither revoked nor expired. An invalid one does not count as a bad key, and the limit of
   * bad keys does not apply: otherwise a stream would outlive its key. While accounts is unavailable, the last known state applies.
   */
  async isStillValid(accessKey: string): Promise<boolean> {
    try {
      return (await this.#find(hashAccessKey(accessKey), newRequestId())) !== null
    } catch (error) {
      if (error instanceof Problem && error.status === 503) return true
      throw error
    }
  }

  /**
   * For readiness: checks that accounts accepts the gateway's signature, which its own readiness does not (`upstream-readiness.ts`).
   * With another INTERNAL_SECRET every request would be 503. The hash belongs to no key. Cached like a key, because a readiness check
   * needs no key, and must not let a client query accounts without limit.
   */
  async check(): Promise<void> {
    await this.#find('0'.repeat(64), newRequestId()).catch((cause: unknown) => {
      // The cause contains the address of accounts, and everyone can read the readiness of the gateway.
      throw new Error('does not resolve access keys', { cause })
    })
  }

  /** Sends at most one request at a time for a key; concurrent requests with the key share its result. */
  async #find(hash: string, requestId: string): Promise<Caller | null> {
    const known = await this.#known.load(hash, (expired) => this.#resolve(hash, requestId, expired))
    return known.principal
  }

  async #resolve(hash: string, requestId: string, expired: Known | undefined): Promise<Known> {
    const at = performance.now()
    try {
      const { principal } = await this.#call(ResolveAccessKey, { hash }, { requestId })
      return { principal, at }
    } catch (error) {
      if (expired?.principal && performance.now() - expired.at < USABLE_MS) return expired
      throw error
    }
  }
}
