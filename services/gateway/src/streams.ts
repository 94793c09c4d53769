import type { ServerResponse } from 'node:http'
import type { Caller } from '@platter/contracts'
import { ConcurrencyLimit, Problem } from '@platter/kit'

const RETRY_AFTER_S = 5

/** The maximum number of open event streams of one access key, by audience. */
const LIMITS = { application: 2_000, restaurant: 50 }
type IsValid = () => Promise<boolean>

/**
 * The event streams that this replica relays. Rotated access keys have the same `accessKeyId` and share its limit. Each replica
 * counts alone, so `n` replicas admit `n` times as many streams, and a replica that dies leaves no count behind.
 */
export class Streams {
  readonly #permits = {
    application: new ConcurrencyLimit({ permitsPerKey: LIMITS.application }),
    restaurant: new ConcurrencyLimit({ permitsPerKey: LIMITS.restaurant }),
  }
  /** Each open stream, with the check of the access key that opened it. */
  readonly #open = new Map<AbortController, IsValid>()
  #isEnded = false

  /** Returns whether this replica is stopping: a new stream would end immediately. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /**
   * Admits a stream until its connection closes. The signal ends it earlier, if the replica stops or the access key is no longer
   * valid. Throws Problem rate-limited above the limit of the key.
   */
  admit({ kind, accessKeyId }: Caller, raw: ServerResponse, isValid: IsValid): AbortSignal {
    // The client has disconnected during its admission. No `close` will follow, so a permit would never be released.
    if (raw.destroyed) return AbortSignal.abort()
    const audience = kind === 'restaurant' ? 'restaurant' : 'application'
    const permit = this.#permits[audience].tryAcquire(accessKeyId)
    if (!permit)
      throw new Problem('rate-limited', `This access key already has ${LIMITS[audience]} open streams.`, {
        retryAfterSeconds: RETRY_AFTER_S,
      })
    const stream = new AbortController()
    this.#open.set(stream, isValid)
    raw.once('close', () => {
      permit.release()
      this.#open.delete(stream)
    })
    return stream.signal
  }

  /**
   * Ends the streams whose own access key was revoked or has expired. The check uses that key, not another key of the same
   * `accessKeyId`. Otherwise a rotated pair would keep the stream of its revoked key, or end the stream of its valid key.
   */
  async endRevoked(): Promise<void> {
    await Promise.all(
      Array.from(this.#open, async ([stream, isValid]) => {
        if (!(await isValid())) stream.abort()
      }),
    )
  }

  /** Ends all streams. Their clients reconnect to another replica and continue there. */
  end(): void {
    this.#isEnded = true
    for (const stream of this.#open.keys()) stream.abort()
  }
}
