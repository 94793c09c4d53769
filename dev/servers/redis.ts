import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../process/host.ts'
import { freePort } from '../process/ports.ts'
import { Supervised } from '../process/supervise.ts'
import { isRedisReady } from './readiness.ts'
import type { Server, ServerContext } from './types.ts'

/** Returns the Redis program of this machine; null if there is none. */
export function findRedis(): string | null {
  return findProgram('redis-server', '/usr/sbin') ?? findProgram('valkey-server', '/usr/sbin')
}

/** Starts Redis on a free port, without persistence, because it contains only caches and counters. `further`: more settings. */
export function startRedis(
  context: ServerContext,
  further: Readonly<Record<string, string>> = {},
): Promise<Server> {
  return context.reporter.step('Redis', async (step) => {
    const program = findRedis()
    if (program === null) throw new Error('redis-server was not found on this machine')
    const data = join(context.directory, 'redis')
    mkdirSync(data, { recursive: true })
    const port = await freePort()
    const settings = {
      port,
      bind: '127.0.0.1',
      dir: data,
      save: '',
      appendonly: 'no',
      maxmemory: '256mb',
      ...further,
    }
    const policy = ['--maxmemory-policy', 'allkeys-lru']
    const args = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, String(value)])
    const supervised = new Supervised(context, () => ({
      name: 'redis',
      command: program,
      args: [...args, ...policy],
      env: process.env,
      cwd: data,
      log: join(context.host.logs, 'redis.log'),
    }))
    const url = `redis://127.0.0.1:${port}`
    await supervised.ready(() => isRedisReady(url), { withinMs: 20_000, signal: context.signal })
    step.result(`port ${port}`)
    const { pids, stop } = supervised
    return { kind: 'redis', url, origin: 'native', data, pids, stop }
  })
}
