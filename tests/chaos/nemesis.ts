import { setTimeout as wait } from 'node:timers/promises'
import { serverKinds } from '../../dev/servers/types.ts'
import type { Stack } from '../../dev/stack.ts'
import { serviceNames } from '../../dev/stack/services.ts'
import type { Random } from '../support/random.ts'
import { sendToTrees, wipeBroker } from '../support/faults.ts'

type Target = keyof Stack['file']['processes']
type Fault = { how: 'kill' | 'freeze' | 'wipe'; target: Target }

/** Every fault, shuffled for each round. Orders and payments hold the money and are killed twice. */
const DECK: readonly Fault[] = [
  ...[...serviceNames, ...serverKinds, 'orders' as const, 'payments' as const].map(
    (target) => ({ how: 'kill', target }) as const,
  ),
  ...[...serviceNames, ...serverKinds].map((target) => ({ how: 'freeze', target }) as const),
  { how: 'wipe', target: 'rabbitmq' },
]

const isServer = (target: Target) => serverKinds.some((kind) => kind === target)
const nameOf = ({ how, target }: Fault) => `${how} ${target}`

/** The names of all faults. */
export const EVERY_FAULT: readonly string[] = [...new Set(DECK.map(nameOf))]
/** The number of faults in a round. */
export const ONE_ROUND = DECK.length

type Injection = {
  random: Random
  /** The shortest and longest time before a fault. */
  pauseMs: readonly [number, number]
  /** Receives the name of each fault after its end. */
  faults: string[]
  isOver: () => boolean
}

/**
 * Kills and freezes processes until `isOver`: a replica of a service, or a server. It also wipes the data directory of RabbitMQ. The
 * processor and the records of the restaurants are outside systems, and stay intact.
 */
export async function injectFaults(
  stack: Stack,
  { random, pauseMs, faults, isOver }: Injection,
): Promise<void> {
  let deck: Fault[] = []
  const broker = { isWhole: true }
  const wipe = () => {
    broker.isWhole = false
    // If RabbitMQ never recovers, the invariants find stuck orders.
    const wiped = wipeBroker(stack).catch(() => 'not recovered')
    void wiped.then(() => (broker.isWhole = true))
  }
  for (;;) {
    await wait(random.between(...pauseMs))
    if (isOver()) return
    if (deck.length === 0) deck = random.shuffled(DECK)
    const fault = deck.shift()!
    const { how, target } = fault
    const pids = target === 'rabbitmq' && !broker.isWhole ? [] : stack.file.processes[target]
    // A process that restarts is no target, so the fault is deferred.
    if (pids.length === 0) {
      deck.push(fault)
      continue
    }
    const victims = isServer(target) ? pids : [random.pick(pids)]
    if (how === 'wipe') wipe()
    else if (how === 'kill') sendToTrees(victims, 'SIGKILL')
    else await freeze(victims, random.between(500, 4_000))
    faults.push(nameOf(fault))
  }
}

async function freeze(pids: readonly number[], forMs: number): Promise<void> {
  sendToTrees(pids, 'SIGSTOP')
  await wait(forMs)
  sendToTrees(pids, 'SIGCONT')
}
