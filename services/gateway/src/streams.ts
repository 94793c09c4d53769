import type { ServerResponse } from 'node:http'
import type { Principal } from '@platter/contracts'
import { Problem } from '@platter/kit'

/** For whoever is told to come back later with a stream. */
const RETRY_AFTER_S = 5

type Limits = { application: number; restaurant: number }
type Caller = Exclude<Principal, { kind: 'service' }>
type OfKey = { open: Set<AbortController>; isGood: () => Promise<boolean> }

/**
 * The streams of events that this replica passes on, by access key. They are counted here, where every request of a
 * key is looked at anyway; each replica counts for itself, so that nothing is left counted when one dies, and so
 * `n` replicas let `n` times as many in.
 */
export class Streams {
  readonly #limits: Limits
  readonly #ofKeys = new Map<string, OfKey>()
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
  admit(principal: Caller, raw: ServerResponse, isGood: () => Promise<boolean>): AbortSignal {
    const limit = principal.kind === 'restaurant' ? this.#limits.restaurant : this.#limits.application
    const { accessKeyId } = principal
    const { open } = this.#ofKeys.get(accessKeyId) ?? { open: new Set() }
    if (open.size >= limit)
      throw new Problem('rate-limited', `This access key has ${limit} streams open already.`, {
        retryAfterSeconds: RETRY_AFTER_S,
      })
    const stream = new AbortController()
    this.#ofKeys.set(accessKeyId, { open: open.add(stream), isGood })
    raw.once('close', () => {
      open.delete(stream)
      if (open.size === 0) this.#ofKeys.delete(accessKeyId)
    })
    return stream.signal
  }

  /** Ends the streams of keys that were revoked: one question a key that anybody follows with. */
  async endRevoked(): Promise<false> {
    await Promise.all(
      [...this.#ofKeys.values()].map(async ({ open, isGood }) => {
        if (!(await isGood())) endAll(open)
      }),
    )
    return false
  }

  /** Ends all: their readers come back to another replica, and go on there. */
  end(): void {
    this.#ended = true
    for (const { open } of this.#ofKeys.values()) endAll(open)
  }
}

function endAll(streams: ReadonlySet<AbortController>): void {
  for (const stream of streams) stream.abort()
}
