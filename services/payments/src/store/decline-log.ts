import { randomUUID } from 'node:crypto'
import { outsideTraces } from '@platter/kit'
import type { OptionalRedis } from '@platter/kit/lifecycle/optional-redis'
import { DeclineCounts } from '#/domain/decline-counts.ts'

const STREAM = 'cards:declines'
/** A decline that another replica has logged is counted here after at most this time. */
export const STALENESS_MS = 1_000
/** The entries of one read. An hour with 100 cards per second, one in ten declined, has 36,000 entries. */
const PAGE = 1_000

/**
 * The declines of all replicas: a Redis stream, whose counts each replica has in memory. Therefore a card needs no command of its
 * own: an active replica reads the new entries once in STALENESS_MS, for all cards together. While Redis is unavailable, a replica
 * counts its own declines and keeps the earlier ones.
 */
export class DeclineLog {
  readonly #redis: OptionalRedis
  readonly #windowMs: number
  readonly #now: () => number
  readonly #counts: DeclineCounts
  /** Identifies the replica's own entries, which are counted when they are appended. */
  readonly #replica = randomUUID()
  #lastId = '0'
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  /** `now`: epoch milliseconds. */
  constructor(redis: OptionalRedis, { seconds, now }: { seconds: number; now: () => number }) {
    this.#redis = redis
    this.#windowMs = seconds * 1_000
    this.#now = now
    this.#counts = new DeclineCounts(this.#windowMs)
  }

  /** Counts a decline of each key: immediately on this replica, on the others within STALENESS_MS. Never rejects. */
  async append(keys: readonly string[]): Promise<void> {
    const now = this.#now()
    for (const key of keys) this.#counts.add(key, now, now)
    await this.#redis.run(
      (client) =>
        client
          .pipeline()
          .xadd(STREAM, 'MINID', now - this.#windowMs, '*', 'by', this.#replica, 'keys', JSON.stringify(keys))
          .pexpire(STREAM, this.#windowMs)
          .exec(),
      () => null,
    )
  }

  /**
   * Returns the milliseconds until a key that has reached `limit` may be declined again; null for a key below its limit. Never
   * rejects.
   */
  async exhaustedForMs(keys: readonly { key: string; limit: number }[]): Promise<number | null> {
    // The difference is negative after the clock was set back.
    if (Math.abs(this.#now() - this.#readAt) >= STALENESS_MS)
      await (this.#reading ??= outsideTraces(() => this.#read()))
    const now = this.#now()
    for (const { key, limit } of keys) {
      const forMs = this.#counts.exhaustedForMs(key, limit, now)
      if (forMs !== null) return forMs
    }
    return null
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    const startedAt = this.#now()
    await this.#redis.run(
      async (client) => {
        let entries
        do {
          const [stream] = (await client.xread('COUNT', PAGE, 'STREAMS', STREAM, this.#lastId)) ?? []
          entries = stream?.[1] ?? []
          for (const [id, fields] of entries) this.#count(id, fields)
        } while (entries.length === PAGE)
      },
      // The next read continues from `#lastId`.
      () => undefined,
    )
    // Set even after a failure; otherwise each card would wait for a slow Redis.
    this.#readAt = startedAt
    this.#reading = null
  }

  #count(id: string, [, by, , keys]: string[]): void {
    this.#lastId = id
    if (by === this.#replica || keys === undefined) return
    const now = this.#now()
    for (const key of JSON.parse(keys) as string[]) this.#counts.add(key, Number.parseInt(id, 10), now)
  }
}
