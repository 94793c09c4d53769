import type { Log } from '@platter/kit'
import { OptionalRedis } from '@platter/kit/lifecycle/optional-redis'
import { connectRedis } from '@platter/kit/lifecycle/redis'

/** Connects to a cache that may be unavailable, slow or empty at any time. No method rejects. */
export function connectCache(url: string, log: Log) {
  const redis = new OptionalRedis(connectRedis(url, log))
  return {
    /** Returns null if the key is absent or Redis is unavailable. */
    get: (key: string): Promise<Buffer | null> =>
      redis.run(
        (client) => client.getBuffer(key),
        () => null,
      ),

    set: async (key: string, value: Buffer, seconds: number): Promise<void> =>
      void (await redis.run(
        (client) => client.set(key, value, 'EX', seconds),
        () => null,
      )),

    close: () => redis.close(),
  }
}

export type RedisCache = ReturnType<typeof connectCache>
