import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from '#/telemetry/log.ts'
import { SpanKind, timed } from '#/telemetry/spans.ts'

export type { Redis } from 'ioredis'

/**
 * With ioredis' defaults a command takes 72 s to fail without Redis, never ends while Redis is frozen, and is sent twice if its
 * reply is lost. Here a command fails after 100 ms, or immediately without a connection.
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

/** Records a span for each command, with its name but without keys and values. */
class PlatterRedis extends Redis {
  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    const name = command.name.toUpperCase()
    return timed(
      () => ({
        name,
        kind: SpanKind.CLIENT,
        attributes: {
          'db.system.name': 'redis',
          'db.operation.name': name,
          'server.address': this.options.host ?? '',
          'server.port': this.options.port ?? 6379,
        },
      }),
      () => super.sendCommand(command, stream),
    )
  }
}

const LOG_AT_MOST_EVERY_MS = 10_000

/** Returns a connection to Redis. Redis may be unavailable at any time, so callers need a fallback. */
export function connectRedis(
  url: string,
  log: Log,
  own: Pick<RedisOptions, 'commandTimeout' | 'socketTimeout'> = {},
): Redis {
  let loggedAt = Number.NEGATIVE_INFINITY
  const logReason = ({ message }: Error, event: string) => {
    if (performance.now() - loggedAt < LOG_AT_MOST_EVERY_MS) return
    loggedAt = performance.now()
    log.warn({ reason: message }, event)
  }
  /** Callers use their fallback, so without this line nothing would show that Redis is full or forbids a command. */
  function reconnectOnError(error: Error): boolean {
    // ioredis sends the script of an unknown hash.
    if (!error.message.startsWith('NOSCRIPT')) logReason(error, 'Redis rejected a command')
    // After a failover, the server of this connection is a replica.
    return error.message.startsWith('READONLY')
  }
  const redis = new PlatterRedis(url, { ...SETTINGS, reconnectOnError, ...own })
  redis.on('error', (error: Error) => logReason(error, 'the connection to Redis was lost'))
  return redis
}
