import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { outsideTraces } from '@platter/kit'
import type { Redis } from '@platter/kit/lifecycle/redis'

/** What the declines of a card that was shown are counted by. */
export type Shown = { card: string; address: string | null; application: string | null }

/** The tokens that a replica has exchanged cards for within this time share one write. */
const GATHER_MS = 500

/**
 * Which card stands behind a token, for the window in which declines are counted: the charge may be declined on any
 * replica. Nearly all charges succeed, so the tokens of GATHER_MS are written together, into one Redis hash a window.
 */
export class ShownCards {
  readonly #redis: Redis
  readonly #windowMs: number
  readonly #unwritten = new Map<string, Shown>()
  #timer: NodeJS.Timeout | null = null

  constructor(redis: Redis, { seconds }: { seconds: number }) {
    this.#redis = redis
    this.#windowMs = seconds * 1_000
  }

  /** Remembers for one to two windows that the token is of this card. */
  remember(token: string, shown: Shown): void {
    this.#unwritten.set(shortHash(token), shown)
    this.#timer ??= outsideTraces(() => setTimeout(() => void this.write(), GATHER_MS)).unref()
  }

  /**
   * Null for a card that was shown longer ago. Takes longer than GATHER_MS when this replica does not find it at once:
   * another one may not have written it yet. Rejects while Redis is unavailable.
   */
  async find(token: string): Promise<Shown | null> {
    const hash = shortHash(token)
    const found = this.#unwritten.get(hash) ?? (await this.#read(hash))
    if (found) return found
    await wait(2 * GATHER_MS, null, { ref: false })
    return this.#read(hash)
  }

  /** Writes what is gathered. Never rejects. */
  async write(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#unwritten.size === 0) return
    const fields = [...this.#unwritten].flatMap(([hash, shown]) => [hash, JSON.stringify(shown)])
    this.#unwritten.clear()
    const window = this.#window()
    const key = keyOf(window)
    await this.#redis
      .pipeline()
      .hset(key, ...fields)
      .pexpireat(key, (window + 2) * this.#windowMs)
      .exec()
      .catch(() => 'later declines of these cards are not counted')
  }

  async #read(hash: string): Promise<Shown | null> {
    const window = this.#window()
    const find = (of: number) => this.#redis.hget(keyOf(of), hash)
    const text = (await find(window)) ?? (await find(window - 1))
    return text === null ? null : (JSON.parse(text) as Shown)
  }

  #window(): number {
    return Math.floor(Date.now() / this.#windowMs)
  }
}

const keyOf = (window: number): string => `cards:tokens:${window}`

/** Redis need not have addresses and tokens. */
export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)
