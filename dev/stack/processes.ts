import { join } from 'node:path'
import type { ProcessHost } from '../process/host.ts'
import { freePorts } from '../process/ports.ts'
import { isReady } from '../process/ready.ts'
import { Supervised } from '../process/supervise.ts'
import type { Reporter } from '../progress.ts'
import {
  environmentOf,
  isStandIn,
  serviceNames,
  standInNames,
  urlsOf,
  type ProcessName,
  type Wiring,
} from './services.ts'

/** The parts of a launch. */
type Launch = {
  readonly host: ProcessHost
  readonly reporter: Reporter
  readonly wiring: Wiring
  readonly env: Readonly<Partial<Record<ProcessName, Readonly<Record<string, string>>>>>
  /** Further variables for all processes. */
  readonly variables: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
  readonly changed: () => void
  readonly longestRestartDelayMs: number | undefined
}

/** The replicas of every process. */
export type Running = ReadonlyMap<ProcessName, readonly Supervised[]>

const repository = join(import.meta.dirname, '../..')
/** Two stacks that start beside the unit tests of a fresh clone were ready after 55 s on two cores. */
const readyWithinMs = 120_000

/** Assigns a port to each replica of every process. The first gateway and the simulators receive the given ports. */
export async function assignPorts(
  replicas: number,
  { gateway, simulators }: { gateway: number; simulators: number },
): Promise<Record<ProcessName, readonly number[]>> {
  const ports: Record<ProcessName, readonly number[]> = {
    processor: await freePorts(1),
    simulators: [simulators],
    payments: await freePorts(replicas),
    accounts: await freePorts(replicas),
    catalog: await freePorts(replicas),
    orders: await freePorts(replicas),
    gateway: [gateway, ...(await freePorts(replicas - 1))],
  }
  return ports
}

/** The file of a process in this repository. */
export function entryOf(name: ProcessName): string {
  return `${isStandIn(name) ? 'dev' : 'services'}/${name}/src/main.ts`
}

/** All processes, and their readiness. */
export type Started = {
  readonly running: Running
  readonly ready: () => Promise<void>
  readonly readyAgain: (name: ProcessName) => Promise<void>
}

/** Starts every replica of every process; `ready` resolves when all are ready. */
export function startProcesses(launch: Launch): Started {
  const names: readonly ProcessName[] = [...standInNames, ...serviceNames]
  const running = new Map(
    names.map((name) => [
      name,
      launch.wiring.ports[name].map((port, at) => startReplica(name, at, port, launch)),
    ]),
  )
  const ready = async () => {
    await Promise.all(names.map((name) => awaitReady(name, running.get(name) ?? [], launch)))
  }
  const readyAgain = (name: ProcessName) =>
    allReady(urlsOf(name, launch.wiring), running.get(name) ?? [], launch.signal)
  return { running, ready, readyAgain }
}

/**
 * Stops the gateway first, so that no request arrives, and the simulated third parties last, because the services still call them.
 */
export async function stopProcesses(running: Running): Promise<void> {
  const stop = async (...names: ProcessName[]) => {
    await Promise.all(names.flatMap((name) => running.get(name) ?? []).map((replica) => replica.stop()))
  }
  await stop('gateway')
  await stop('catalog', 'accounts', 'orders', 'payments')
  await stop(...standInNames)
}

function startReplica(name: ProcessName, at: number, port: number, launch: Launch): Supervised {
  const replica = at === 0 ? name : `${name}-${at + 1}`
  return new Supervised(launch, () => ({
    name: replica,
    command: join(repository, 'packages/kit/start.sh'),
    args: [process.execPath, entryOf(name)],
    env: {
      ...surroundings(),
      ...launch.variables,
      ...environmentOf(name, launch.wiring),
      ...launch.env[name],
      PORT: String(port),
    },
    cwd: repository,
    log: join(launch.host.logs, `${name}.log`),
  }))
}

// The launcher's own URLs may contain a superuser, which no service may receive.
function surroundings(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _1, AMQP_URL: _2, REDIS_URL: _3, ...rest } = process.env
  return rest
}

async function awaitReady(name: ProcessName, replicas: readonly Supervised[], launch: Launch): Promise<void> {
  const ports = launch.wiring.ports[name]
  await launch.reporter.step(name, async (step) => {
    await allReady(urlsOf(name, launch.wiring), replicas, launch.signal)
    step.result(ports.length === 1 ? `port ${ports[0]}` : `ports ${ports.join(', ')}`)
  })
}

async function allReady(
  urls: readonly string[],
  replicas: readonly Supervised[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const limits = { withinMs: readyWithinMs, signal }
  await Promise.all(replicas.map((replica, at) => replica.ready(() => isReady(urls[at] ?? ''), limits)))
}
