import type { Log } from '@platter/kit'
import { OptionalRedis } from '@platter/kit/lifecycle/optional-redis'
import { connectRedis } from '@platter/kit/lifecycle/redis'

/** A cache that may be unavailable, slow or empty at any time. No method rejects. */
export type Cache = {
  /** Returns null if the key is absent or Redis is unavailable. */
  get(key: string): Promise<Buffer | null>
  set(key: string, value: Buffer, seconds: number): Promise<void>
  close(): void
}

export function connectCache(url: string, log: Log): Cache {
  const redis = new OptionalRedis(connectRedis(url, log))
  return {
    get: (key) =>
      redis.run(
        (client) => client.getBuffer(key),
        () => null,
      ),
    set: async (key, value, seconds) =>
      void (await redis.run(
        (client) => client.set(key, value, 'EX', seconds),
        () => null,
      )),
    close: () => redis.close(),
  }
}
