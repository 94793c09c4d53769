import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sendSignal } from '../../dev/process/identity.ts'
import type { Stack } from '../../dev/stack.ts'
import { entryOf } from '../../dev/stack/processes.ts'
import { isStandIn } from '../../dev/stack/services.ts'
import { eventually } from '../support/eventually.ts'
import { wipeBroker } from '../support/faults.ts'
import { startTestStack } from '../support/stack.ts'
import { readEvents } from './events.ts'

type Service = 'gateway' | 'catalog' | 'accounts' | 'orders' | 'payments'

/** A stack whose services kill themselves at an armed crash point. */
export class CrashStack {
  readonly stack: Stack
  readonly #directory: string

  constructor(stack: Stack, directory: string) {
    this.stack = stack
    this.#directory = directory
  }

  /** Starts the stack. With one replica of each service, no other replica can steal a lease. Timeouts are short. */
  static async start(replicas: number): Promise<CrashStack> {
    const directory = fileURLToPath(new URL('../../.run/crash-points', import.meta.url))
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { recursive: true })
    const own = (service: Service) => ({
      CRASH_DIRECTORY: directory,
      CRASH_SERVICE: service,
      LOG_LEVEL: 'warn',
    })
    const env = {
      gateway: { ...own('gateway'), REQUEST_DEADLINE_MS: '5000', RATE_LIMIT_REQUESTS: '1000000' },
      catalog: own('catalog'),
      accounts: { ...own('accounts'), TRIES_PER_ADDRESS: '1000000', TRIES_PER_APPLICATION: '1000000' },
      orders: { ...own('orders'), TRANSMIT_DEADLINE_MS: '120000' },
      payments: own('payments'),
      simulators: { STEP_MS: '3600000' },
    }
    const stack = await startTestStack('crash', {
      replicas,
      env,
      entry: (name) => (isStandIn(name) ? entryOf(name) : 'tests/crash-points/keeper.ts'),
    })
    return new CrashStack(stack, directory)
  }

  /** Returns the events of a request so far, in the order of their writing. */
  eventsOf(requestId: string): string[] {
    return readEvents(this.#directory, requestId)
  }

  /** Arms a crash point: the process that reaches this event of this request kills itself. */
  arm(requestId: string, event: string): void {
    for (const name of this.#files('fired-')) rmSync(join(this.#directory, name))
    writeFileSync(join(this.#directory, 'armed'), `${requestId} ${event}`)
  }

  disarm(): void {
    rmSync(join(this.#directory, 'armed'), { force: true })
  }

  /** Resolves with the process that died at the crash point, or with null if no process died in this time. */
  async fired(withinMs: number): Promise<string | null> {
    const pid = () => this.#files('fired-')[0]?.slice('fired-'.length)
    await eventually(pid, (dead) => dead !== undefined, withinMs, 10)
    return pid() ?? null
  }

  /** Kills every replica of every service, and wipes the broker. Returns the killed processes. */
  async killEverything(): Promise<string[]> {
    const pids = this.#readyPids()
    for (const pid of pids) sendSignal(Number(pid), 'SIGKILL')
    await wipeBroker(this.stack)
    return pids
  }

  /** Resolves when new processes have replaced these processes. */
  replaced(pids: readonly string[], withinMs: number): Promise<boolean> {
    return eventually(() => !this.#readyPids().some((pid) => pids.includes(pid)), Boolean, withinMs, 10)
  }

  /** Returns the process ids of the ready replicas of all services. */
  #readyPids(): string[] {
    return this.#files('ready-').map((name) => readFileSync(join(this.#directory, name), 'utf8'))
  }

  #files(prefix: string): string[] {
    return readdirSync(this.#directory).filter((name) => name.startsWith(prefix))
  }
}
