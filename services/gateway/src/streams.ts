import type { ServerResponse } from 'node:http'
import type { Principal } from '@platter/contracts'
import { Problem } from '@platter/kit'

/** For whoever is told to come back later with a stream. */
const RETRY_AFTER_S = 5

type Limits = { application: number; restaurant: number }
type Caller = Exclude<Principal, { kind: 'service' }>
/** The streams of one lineage, each with the check of the access key that opened it: rotated keys share a lineage. */
type OfLineage = Map<AbortController, IsGood>
type IsGood = () => Promise<boolean>

/**
 * The streams of events that this replica passes on, by access key. They are counted here, where every request of a
 * key is looked at anyway; each replica counts for itself, so that nothing is left counted when one dies, and so
 * `n` replicas let `n` times as many in.
 */
export class Streams {
  readonly #limits: Limits
  readonly #ofLineages = new Map<string, OfLineage>()
  #ended = false

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** No stream lasts any more: this replica stops. */
  get isEnded(): boolean {
    return this.#ended
  }

  /**
   * Counts a stream in until its connection closes. The signal tells it to end: the replica stops, or the key is not
   * good any more. Throws Problem rate-limited when the key has as many as it may.
   */
  admit(principal: Caller, raw: ServerResponse, isGood: IsGood): AbortSignal {
    const limit = principal.kind === 'restaurant' ? this.#limits.restaurant : this.#limits.application
    const { accessKeyId } = principal
    const open = this.#ofLineages.get(accessKeyId) ?? new Map<AbortController, IsGood>()
    if (open.size >= limit)
      throw new Problem('rate-limited', `This access key has ${limit} streams open already.`, {
        retryAfterSeconds: RETRY_AFTER_S,
      })
    const stream = new AbortController()
    this.#ofLineages.set(accessKeyId, open.set(stream, isGood))
    raw.once('close', () => {
      open.delete(stream)
      if (open.size === 0) this.#ofLineages.delete(accessKeyId)
    })
    return stream.signal
  }

  /**
   * Ends the streams whose own access key was revoked or has expired. A key of the same lineage proves nothing: the
   * revoked key of a rotated pair would keep its stream, or take the good key's stream with it.
   */
  async endRevoked(): Promise<false> {
    const streams = [...this.#ofLineages.values()].flatMap((open) => [...open])
    await Promise.all(
      streams.map(async ([stream, isGood]) => {
        if (!(await isGood())) stream.abort()
      }),
    )
    return false
  }

  /** Ends all: their readers come back to another replica, and go on there. */
  end(): void {
    this.#ended = true
    for (const open of this.#ofLineages.values()) for (const stream of open.keys()) stream.abort()
  }
}
