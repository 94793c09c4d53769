import type { Log } from '@platter/kit'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { Breaker } from '#/breaker.ts'

/** A cache that may be away, slow or empty at any time: then it only saves nothing. */
export type Cache = {
  /** null: not there, or not to be had now. */
  get(key: string): Promise<Buffer | null>
  set(key: string, value: Buffer, seconds: number): Promise<void>
  close(): void
}

export function connectCache(url: string, log: Log): Cache {
  const redis = connectRedis(url, log)
  const breaker = new Breaker({ failures: 5, openMs: 1_000 })
  return {
    get: (key) => breaker.run(() => redis.getBuffer(key), null),
    set: async (key, value, seconds) =>
      void (await breaker.run(() => redis.set(key, value, 'EX', seconds), null)),
    close: () => redis.disconnect(),
  }
}
