import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeWhole } from './process/files.ts'
import { createProcessHost, type ProcessHost } from './process/host.ts'
import { plainReporter, type Reporter } from './progress.ts'
import type { SeedResult } from './seed/seed.ts'
import { findServers, type Servers } from './servers/find.ts'
import { startTraces } from './servers/traces.ts'
import type { ServerContext } from './servers/types.ts'
import { ensureCompileCache } from './stack/compile-cache.ts'
import { ensureConsole } from './stack/console.ts'
import { describeStack, pidsOf, type StackFile } from './stack/description.ts'
import { fill, openDatabase, planWiring } from './stack/preparation.ts'
import { startProcesses, stopProcesses } from './stack/processes.ts'
import { refuseOtherUser, stackFile, takeRunDirectory } from './stack/run-directory.ts'
import { loadSecrets, saveSecrets } from './stack/secrets.ts'
import { checkAddress, startHttps, type HttpsFront } from './stack/https.ts'
import { urlsOf, type ProcessName, type Wiring } from './stack/services.ts'

export type { StackFile } from './stack/description.ts'

/** The options of a stack. */
export type StackOptions = {
  /** The folder of all its data; one stack at a time in each. */
  readonly runDirectory: string
  /** Default: plain lines on standard output. */
  readonly reporter?: Reporter
  /** Of every service; default 1. */
  readonly replicas?: number
  /** The gateway's port, or the next free one above it. Default: any free port. */
  readonly port?: number
  /** Accepts other devices of the network, over https at this address of the machine. */
  readonly host?: string
  /** The services speak https, for tests: `env` names their certificates, and this process accepts the authority. */
  readonly https?: boolean
  /** Further variables for single processes. */
  readonly env?: Readonly<Partial<Record<ProcessName, Readonly<Record<string, string>>>>>
  /** Deletes the data of earlier runs first. */
  readonly fresh?: boolean
  /** Starts Jaeger, and sends all traces there. */
  readonly traces?: boolean
  /** Aborts the start. */
  readonly signal?: AbortSignal
  /** The limit of the backoff between restarts of a process, for tests that kill many; default: 5 s. */
  readonly longestRestartDelayMs?: number
  /** Replaces the search for servers, for tests. */
  readonly find?: (context: ServerContext) => Promise<Servers>
}

/** A running stack with its development data. */
export type Stack = {
  readonly gateway: string
  /** Of all replicas of the gateway. */
  readonly gateways: readonly string[]
  readonly operatorKey: string
  readonly seed: SeedResult
  readonly servers: Servers
  /** The page or the receiver of the traces; null when they are off. */
  readonly traces: string | null
  /** The gateway for other devices of the network; null without `host`. */
  readonly https: HttpsFront | null
  /** The current content of `<runDirectory>/stack.json`. */
  readonly file: StackFile
  /** The running processes of a service. */
  pids(name: ProcessName): number[]
  /** Resolves when every replica of the service is ready. */
  ready(name: ProcessName): Promise<void>
  stop(): Promise<void>
}

/** The time between SIGTERM and SIGKILL of the remaining processes. */
const LAST_GRACE_MS = 10_000

/**
 * Finds or starts the servers, starts all processes, waits until they are ready, and seeds. When it throws, none of them runs.
 * Throws when another stack uses the directory, or another user's did.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const directory = resolve(options.runDirectory)
  const { reporter = plainReporter(console.log), fresh = false } = options
  if (!fresh) refuseOtherUser(directory)
  const claim = await takeRunDirectory(directory, { fresh, reporter })
  const host = createProcessHost(directory)
  const killAll = () => host.killAll()
  process.once('exit', killAll)
  const cleanup = new AsyncDisposableStack()
  cleanup.defer(() => claim.release())
  cleanup.defer(() => void process.off('exit', killAll))
  cleanup.defer(() => host.stopAll(LAST_GRACE_MS))
  const stop = async () => {
    host.close()
    await cleanup.disposeAsync()
  }
  try {
    return await assemble({ ...options, runDirectory: directory, reporter }, { host, cleanup, stop })
  } catch (error) {
    await stop()
    throw error
  }
}

type Frame = {
  readonly host: ProcessHost
  /** Runs in reverse order. */
  readonly cleanup: AsyncDisposableStack
  readonly stop: () => Promise<void>
}

async function assemble(options: StackOptions & { reporter: Reporter }, frame: Frame): Promise<Stack> {
  const { runDirectory: directory, reporter, signal, fresh = false, replicas = 1 } = options
  const { host, cleanup, stop } = frame
  if (options.host !== undefined) checkAddress(options.host)
  await build(host, { reporter, signal })
  const secrets = loadSecrets(directory)
  let keepFile: (() => void) | undefined
  const changed = () => keepFile?.()
  const traces = await openTraces(options.traces, { directory, host, reporter, signal }, cleanup)
  const servers = await (options.find ?? findServers)({ directory, host, reporter, signal, changed, fresh })
  cleanup.defer(() => stopServers(servers, reporter))
  const { superuserUrl, ...database } = await reporter.step('Schemas and roles', () =>
    openDatabase(servers.postgres, secrets, fresh, cleanup),
  )
  const wiring = await planWiring({ directory, secrets, servers, database }, { ...options, replicas })
  const { env = {}, longestRestartDelayMs } = options
  const { variables } = traces
  const launch = { host, reporter, wiring, signal, changed, env, variables, longestRestartDelayMs }
  const { running, ready, readyAgain } = startProcesses(launch)
  cleanup.defer(() => reporter.step('Stopping the services', () => stopProcesses(running)))
  await ready()
  const known = database.fresh ? { ...secrets, seed: null } : secrets
  const seeded = await fill(wiring, known, reporter)
  saveSecrets(directory, { ...secrets, simulatorsPort: wiring.ports.simulators[0] ?? null, seed: seeded })
  const describe = () => describeStack({ wiring, servers, superuserUrl, seeded, running, logs: host.logs })
  keepFile = () => writeWhole(stackFile(directory), `${JSON.stringify(describe(), null, 2)}\n`)
  keepFile()
  cleanup.defer(() => {
    keepFile = undefined
    rmSync(stackFile(directory), { force: true })
  })
  const https = await openHttps(options.host, wiring, { directory, host, reporter, signal }, cleanup)
  const gateways = urlsOf('gateway', wiring)
  return {
    gateway: gateways[0] ?? '',
    gateways,
    operatorKey: secrets.operatorKey,
    seed: seeded,
    servers,
    traces: traces.shown,
    https,
    get file() {
      return describe()
    },
    pids: (name) => pidsOf(running, name),
    ready: readyAgain,
    stop,
  }
}

/** Builds what the processes serve and run, where it is missing. */
const build = (...context: Parameters<typeof ensureConsole>) =>
  Promise.all([ensureConsole(...context), ensureCompileCache(...context)])

/** Traces go to a new Jaeger when requested, else to the receiver that the environment names. */
async function openTraces(
  requested: boolean | undefined,
  context: ServerContext,
  cleanup: AsyncDisposableStack,
) {
  if (requested !== true) return { variables: {}, shown: process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? null }
  const traces = await startTraces(context)
  cleanup.defer(() => context.reporter.step('Stopping Jaeger', () => traces.stop()))
  return { variables: traces.variables, shown: traces.page }
}

/** Deferred last, so that it stops first: no new requests come from the network. */
async function openHttps(
  address: string | undefined,
  { ports }: Wiring,
  context: ServerContext,
  cleanup: AsyncDisposableStack,
): Promise<HttpsFront | null> {
  const { directory, host, reporter, signal } = context
  // An abort waits for the end of the seed: otherwise the next start would create its client applications a second time.
  signal?.throwIfAborted()
  if (address === undefined) return null
  const https = await startHttps({
    directory,
    address,
    gateway: ports.gateway[0] ?? 0,
    host,
    reporter,
    signal,
  })
  cleanup.defer(() => https.stop())
  return https
}

async function stopServers(servers: Servers, reporter: Reporter): Promise<void> {
  await reporter.step('Stopping the servers', async () => {
    await Promise.all(Object.values(servers).map((server) => server.stop()))
  })
}
