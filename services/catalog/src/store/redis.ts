import type { Log } from '@platter/kit'
import { Redis } from 'ioredis'
import { Breaker } from '../breaker.ts'

/**
 * Without these a Redis that is down costs 72 s a command and a frozen one never ends, and a command whose
 * answer was lost is said twice. Here a command gives up after 100 ms, and at once while there is no connection.
 */
const SETTINGS = {
  connectTimeout: 500,
  commandTimeout: 100,
  socketTimeout: 1_000,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt: number) => Math.min(2 ** attempt * 50, 2_000) + Math.random() * 200,
}

const LOG_AT_MOST_EVERY_MS = 10_000

/** A cache that may be away, slow or empty at any time: then it only saves nothing. */
export type Cache = {
  /** null: not there, or not to be had now. */
  get(key: string): Promise<Buffer | null>
  set(key: string, value: Buffer, seconds: number): Promise<void>
  close(): void
}

export function connectCache(url: string, log: Log): Cache {
  const redis = new Redis(url, SETTINGS)
  const breaker = new Breaker({ failures: 5, openMs: 1_000 })
  let loggedAt = Number.NEGATIVE_INFINITY
  redis.on('error', ({ message }: Error) => {
    if (performance.now() - loggedAt < LOG_AT_MOST_EVERY_MS) return
    loggedAt = performance.now()
    log.warn({ reason: message }, 'the connection to Redis was lost')
  })
  return {
    get: (key) => breaker.run(() => redis.getBuffer(key), null),
    set: async (key, value, seconds) =>
      void (await breaker.run(() => redis.set(key, value, 'EX', seconds), null)),
    close: () => redis.disconnect(),
  }
}
