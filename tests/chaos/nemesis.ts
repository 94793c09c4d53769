import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Stack } from '../../dev/stack.ts'
import type { Random } from './random.ts'
import { sendToTrees } from './signals.ts'

export type Fault = { at: number; what: string }

type Target = keyof Stack['file']['processes']
const SERVICES: readonly Target[] = ['gateway', 'catalog', 'accounts', 'orders', 'payments']
const SERVERS: readonly Target[] = ['postgres', 'rabbitmq', 'redis']
/** Orders and payments hold the money, so they are hit more often. */
const TARGETS: readonly Target[] = [
  ...SERVICES,
  ...SERVICES,
  'orders',
  'orders',
  'payments',
  'payments',
  ...SERVERS,
]

/**
 * Kills and freezes processes at random until the signal comes: a replica of a service, or a whole server.
 * The broker's data directory is wiped now and then. The processor and the simulated restaurants' books are
 * never touched: they are the outside world.
 */
export async function torment(
  stack: Stack,
  random: Random,
  { pauseMs, signal }: { pauseMs: [number, number]; signal: AbortSignal },
): Promise<Fault[]> {
  const faults: Fault[] = []
  const started = performance.now()
  const paused = () =>
    wait(random.between(...pauseMs), undefined, { signal }).then(
      () => true,
      // The load has ended.
      () => false,
    )
  while (await paused()) {
    const what = await strike(stack, random)
    if (what !== null) faults.push({ at: Math.round(performance.now() - started), what })
  }
  return faults
}

async function strike(stack: Stack, random: Random): Promise<string | null> {
  const target = random.pick(TARGETS)
  const pids = stack.file.processes[target]
  const dice = random.next()
  if (pids.length === 0) return null
  if (target === 'rabbitmq' && dice < 0.4) return wipeBroker(stack, pids)
  const isServer = SERVERS.includes(target)
  const victims = isServer ? pids : [random.pick(pids)]
  if (dice < 0.75) {
    sendToTrees(victims, 'SIGKILL')
    return `kill ${target}`
  }
  const forMs = random.between(500, 4_000)
  sendToTrees(victims, 'SIGSTOP')
  await wait(forMs)
  sendToTrees(victims, 'SIGCONT')
  return `freeze ${target} for ${forMs} ms`
}

function wipeBroker(stack: Stack, pids: readonly number[]): string {
  const { rabbitmq: data } = stack.file.data
  sendToTrees(pids, 'SIGKILL')
  if (data === null) return 'kill rabbitmq'
  rmSync(join(data, 'mnesia'), { recursive: true, force: true })
  return 'wipe rabbitmq'
}
