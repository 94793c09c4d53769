import type { Redis } from '#/lifecycle/redis.ts'

const MAX_FAILURES = 5
/** After too many failures, no command is sent for this time. */
const RETRY_DELAY_MS = 1_000

/**
 * A circuit breaker for Redis: each command has a fallback, and no caller fails or waits for Redis. Redis is unavailable without a
 * connection, and for RETRY_DELAY_MS after MAX_FAILURES consecutive failures. Then one command is sent. If it succeeds, Redis is
 * available again; if it fails, Redis is unavailable for another RETRY_DELAY_MS. A cache falls back to its source, and a rate limit
 * to the count of its replica. A hint is dropped.
 */
export class OptionalRedis {
  readonly client: Redis
  #failures = 0
  #retryAt = 0

  constructor(client: Redis) {
    this.client = client
  }

  get isAvailable(): boolean {
    const isClosed = this.#failures < MAX_FAILURES || performance.now() >= this.#retryAt
    return isClosed && this.client.status === 'ready'
  }

  /** Returns the result of `command`, or the result of `fallback` if Redis is unavailable or the command fails. */
  async run<V>(command: (client: Redis) => Promise<V>, fallback: () => V | Promise<V>): Promise<V> {
    if (!this.isAvailable) return fallback()
    // While one command tests an unavailable Redis, the others use their fallback.
    if (this.#failures >= MAX_FAILURES) this.#retryAt = performance.now() + RETRY_DELAY_MS
    try {
      const value = await command(this.client)
      this.#failures = 0
      return value
    } catch {
      // `connectRedis` logs failures of the connection, and commands that Redis rejects.
      this.#failures += 1
      if (this.#failures >= MAX_FAILURES) this.#retryAt = performance.now() + RETRY_DELAY_MS
    }
    return fallback()
  }

  close(): void {
    this.client.disconnect()
  }
}
