import { once } from 'node:events'
import type { Redis } from '#/lifecycle/redis.ts'

/** No command is sent for this time after too many failures. */
const RETRY_DELAY_MS = 1_000

/**
 * The one policy for an unavailable Redis: a command has a fallback, and no caller fails or waits for Redis. Redis is unavailable
 * without a connection, and for RETRY_DELAY_MS after `maxFailures` commands in a row have failed. Then one command is sent: it
 * makes Redis available again or, when it fails, unavailable for as long again. A cache falls back to its source, a limit to the
 * count of its own replica, a hint to none.
 */
export class OptionalRedis {
  readonly client: Redis
  readonly #maxFailures: number
  #failures = 0
  #retryAt = 0

  constructor(client: Redis, { maxFailures = 5 }: { maxFailures?: number } = {}) {
    this.client = client
    this.#maxFailures = maxFailures
  }

  get isAvailable(): boolean {
    const isClosed = this.#failures < this.#maxFailures || performance.now() >= this.#retryAt
    return isClosed && this.client.status === 'ready'
  }

  /** Returns the result of `command`, or that of `fallback` when Redis is unavailable or the command fails. */
  async run<V>(command: (client: Redis) => Promise<V>, fallback: () => V | Promise<V>): Promise<V> {
    if (!this.isAvailable) return fallback()
    // While one command is sent to an unavailable Redis, the others use their fallback.
    if (this.#failures >= this.#maxFailures) this.#retryAt = performance.now() + RETRY_DELAY_MS
    try {
      const value = await command(this.client)
      this.#failures = 0
      return value
    } catch {
      // The connection logs its failures.
      this.#failures += 1
      if (this.#failures >= this.#maxFailures) this.#retryAt = performance.now() + RETRY_DELAY_MS
    }
    return fallback()
  }

  /** Resolves when Redis is connected, or after `withinMs`. */
  async connected(withinMs: number): Promise<void> {
    if (this.client.status === 'ready') return
    await once(this.client, 'ready', { signal: AbortSignal.timeout(withinMs) }).catch(
      () => 'commands use their fallback until then',
    )
  }

  close(): void {
    this.client.disconnect()
  }
}
