import { ResolveAccessKey, type Principal } from '@platter/contracts'
import {
  hashAccessKey,
  looksLikeAccessKey,
  networkOf,
  newRequestId,
  Problem,
  type internalCaller,
} from '@platter/kit'
import { RateLimiterMemory } from 'rate-limiter-flexible'

/** A revocation is felt within a second: what is known of a key is asked again after that. */
const FRESH_MS = 1_000
/** While accounts cannot be reached, a key that was good goes on being good for so long (design.md, "Processes"). */
const USABLE_MS = 30_000
const MAX_KNOWN = 10_000
/** A network (of IPv6 a /64) that tries keys out is held off until the minute is over; each replica counts for itself. */
const BAD_KEYS = { points: 30, duration: 60 }

type Known = { principal: Principal | null; at: number }

/** Finds out whom an access key belongs to. The key itself goes no further than this process: accounts gets its hash. */
export class AccessKeys {
  readonly #call: ReturnType<typeof internalCaller>
  readonly #known = new Map<string, Known>()
  readonly #asking = new Map<string, Promise<Known>>()
  readonly #badKeys = new RateLimiterMemory(BAD_KEYS)

  constructor(call: ReturnType<typeof internalCaller>) {
    this.#call = call
  }

  /** The key's principal. Throws Problem access-token-missing, access-token-invalid, rate-limited or service-unavailable. */
  async principalOf(
    accessKey: string | undefined,
    { requestId, address }: { requestId: string; address: string },
  ): Promise<Principal> {
    if (accessKey === undefined || accessKey === '') {
      throw new Problem('access-token-missing', 'Send your access key in the header X-Access-Token.')
    }
    const network = networkOf(address)
    const hash = looksLikeAccessKey(accessKey) ? hashAccessKey(accessKey) : null
    // Whoever shares an address with somebody who tries keys out goes on with a key that is known to be good.
    if (hash === null || !this.#known.get(hash)?.principal) await this.#holdOff(network)
    const principal = hash === null ? null : await this.#find(hash, requestId)
    if (principal) return principal
    await this.#badKeys.penalty(network)
    throw new Problem('access-token-invalid', 'The access key is not valid.')
  }

  /** For readiness: accounts answers. The hash is of no key. */
  async check(): Promise<void> {
    await this.#call(ResolveAccessKey, { hash: '0'.repeat(64) }, newRequestId())
  }

  async #holdOff(network: string): Promise<void> {
    const bad = await this.#badKeys.get(network)
    if (!bad || bad.remainingPoints > 0) return
    throw new Problem('rate-limited', 'Too many requests with a bad access key came from your address.', {
      retryAfterSeconds: Math.max(1, Math.ceil(bad.msBeforeNext / 1_000)),
    })
  }

  async #find(hash: string, requestId: string): Promise<Principal | null> {
    const known = this.#known.get(hash)
    const age = known ? performance.now() - known.at : Infinity
    if (known && age < FRESH_MS) return known.principal
    try {
      return (await this.#ask(hash, requestId)).principal
    } catch (error) {
      if (known?.principal && age < USABLE_MS) return known.principal
      throw error
    }
  }

  /** One question at a time for one key, however many requests wait for it. */
  #ask(hash: string, requestId: string): Promise<Known> {
    const asking = this.#asking.get(hash)
    if (asking) return asking
    const asked = this.#call(ResolveAccessKey, { hash }, requestId)
      .then(({ principal }) => {
        const known = { principal, at: performance.now() }
        if (this.#known.size >= MAX_KNOWN) this.#known.clear()
        this.#known.set(hash, known)
        return known
      })
      .finally(() => this.#asking.delete(hash))
    this.#asking.set(hash, asked)
    return asked
  }
}
