import type { Log } from '@platter/kit'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { CircuitBreaker } from '#/circuit-breaker.ts'

/** A cache that may be unavailable, slow or empty at any time. No method rejects. */
export type Cache = {
  /** Null when the key is absent or Redis is unavailable. */
  get(key: string): Promise<Buffer | null>
  set(key: string, value: Buffer, seconds: number): Promise<void>
  close(): void
}

export function connectCache(url: string, log: Log): Cache {
  const redis = connectRedis(url, log)
  const breaker = new CircuitBreaker({ failures: 5, openMs: 1_000 })
  return {
    get: (key) => breaker.run(() => redis.getBuffer(key), null),
    set: async (key, value, seconds) =>
      void (await breaker.run(() => redis.set(key, value, 'EX', seconds), null)),
    close: () => redis.disconnect(),
  }
}
