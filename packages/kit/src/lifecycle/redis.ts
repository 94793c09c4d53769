import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from '#/telemetry/log.ts'
import { SpanKind, timed } from '#/telemetry/spans.ts'

export type { Redis } from 'ioredis'

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

/** Its commands as spans, by their names; keys and values stay out. */
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

/** A connection to a Redis that may be unavailable at any time: its users go on without it then. */
export function connectRedis(url: string, log: Log, own: Pick<RedisOptions, 'commandTimeout'> = {}): Redis {
  const redis = new PlatterRedis(url, { ...SETTINGS, ...own })
  let loggedAt = Number.NEGATIVE_INFINITY
  redis.on('error', ({ message }: Error) => {
    if (performance.now() - loggedAt < LOG_AT_MOST_EVERY_MS) return
    loggedAt = performance.now()
    log.warn({ reason: message }, 'the connection to Redis was lost')
  })
  return redis
}
