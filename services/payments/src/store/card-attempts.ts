import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { outsideTraces } from '@platter/kit'
import type { Redis } from '@platter/kit/lifecycle/redis'
import type { OptionalRedis } from '@platter/kit/lifecycle/optional-redis'

/** The keys under which declines of a card are counted. */
export type CardAttempt = { card: string; address: string | null; application: string | null }

/** The tokens that a replica exchanges within this time share one write. */
const GATHER_MS = 500

/**
 * Maps tokens to card attempts for the window in which declines are counted, because the authorization may be declined on another
 * replica. Almost all succeed, so the tokens of GATHER_MS are written together, into one Redis hash per window.
 */
export class CardAttempts {
  readonly #redis: OptionalRedis
  readonly #windowMs: number
  readonly #unwritten = new Map<string, CardAttempt>()
  #timer: NodeJS.Timeout | null = null

  constructor(redis: OptionalRedis, { seconds }: { seconds: number }) {
    this.#redis = redis
    this.#windowMs = seconds * 1_000
  }

  /** Stores the attempt of the token, for one to two windows. */
  save(token: string, attempt: CardAttempt): void {
    this.#unwritten.set(shortHash(token), attempt)
    this.#timer ??= outsideTraces(() => setTimeout(() => void this.flush(), GATHER_MS)).unref()
  }

  /**
   * Returns null for an older token, and while Redis is unavailable. A token that is not found is looked up again after twice
   * GATHER_MS, because another replica may not have written it yet.
   */
  async find(token: string): Promise<CardAttempt | null> {
    const hash = shortHash(token)
    return (
      this.#unwritten.get(hash) ??
      (await this.#redis.run(
        (client) => this.#findWritten(client, hash),
        () => null,
      ))
    )
  }

  /** Writes the gathered tokens. Never rejects. */
  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#unwritten.size === 0) return
    const fields = [...this.#unwritten].flatMap(([hash, attempt]) => [hash, JSON.stringify(attempt)])
    this.#unwritten.clear()
    const window = this.#window()
    const key = keyOf(window)
    await this.#redis.run(
      (client) =>
        client
          .pipeline()
          .hset(key, ...fields)
          .pexpireat(key, (window + 2) * this.#windowMs)
          .exec(),
      // Later declines of these cards are not counted.
      () => null,
    )
  }

  async #findWritten(client: Redis, hash: string): Promise<CardAttempt | null> {
    const found = await this.#read(client, hash)
    if (found) return found
    await wait(2 * GATHER_MS, null, { ref: false })
    return this.#read(client, hash)
  }

  async #read(client: Redis, hash: string): Promise<CardAttempt | null> {
    const window = this.#window()
    const text = (await client.hget(keyOf(window), hash)) ?? (await client.hget(keyOf(window - 1), hash))
    return text === null ? null : (JSON.parse(text) as CardAttempt)
  }

  #window(): number {
    return Math.floor(Date.now() / this.#windowMs)
  }
}

const keyOf = (window: number): string => `cards:tokens:${window}`

/** Hashes a text, so that Redis contains no addresses and tokens. */
export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)
