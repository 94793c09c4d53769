import { ensurePrograms } from './programs.ts'
import { startPostgres } from './postgres.ts'
import { startRabbitmq } from './rabbitmq.ts'
import { startRedis } from './redis.ts'
import type { Server, ServerContext, ServerKind, ServerSource } from './types.ts'

/** Servers as child processes, with their data below the run directory. */
export const native: ServerSource = async (wanted, context) => {
  const installed = ensurePrograms(wanted, context)
  const start: Readonly<Record<ServerKind, (context: ServerContext) => Promise<Server>>> = {
    postgres: startPostgres,
    rabbitmq: async (rest) => installed.then(() => startRabbitmq(rest)),
    redis: async (rest) => installed.then(() => startRedis(rest)),
  }
  const [, ...servers] = await Promise.all([installed, ...wanted.map((kind) => start[kind](context))])
  return servers
}
