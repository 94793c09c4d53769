import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainReporter } from '../../dev/progress.ts'
import { startStack, type Stack } from '../../dev/stack.ts'
import { entryOf } from '../../dev/stack/processes.ts'
import { isStandIn } from '../../dev/stack/services.ts'
import { eventually } from '../support/eventually.ts'
import { readLines } from '../support/json-lines.ts'

type Service = 'gateway' | 'catalog' | 'accounts' | 'orders' | 'payments'

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** A stack whose services kill themselves at an armed crash point. */
export class CrashStack {
  readonly stack: Stack
  readonly #directory: string

  constructor(stack: Stack, directory: string) {
    this.stack = stack
    this.#directory = directory
  }

  /** One replica of each service, so that no other replica takes over. Timeouts are short. */
  static async start(): Promise<CrashStack> {
    const runDirectory = root('.run/crash')
    const directory = root('.run/crash-points')
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
    const stack = await startStack({
      runDirectory,
      reporter: plainReporter((line) => process.stderr.write(`${line}\n`)),
      replicas: 1,
      fresh: true,
      env,
      entry: (name) => (isStandIn(name) ? entryOf(name) : 'tests/crash-points/keeper.ts'),
    })
    return new CrashStack(stack, directory)
  }

  /** The events of a request so far, in the order in which they were written. */
  async eventsOf(requestId: string): Promise<string[]> {
    const file = join(this.#directory, 'events.jsonl')
    const lines = await readLines<{ requestId: string; event: string }>(file)
    return lines.filter((line) => line.requestId === requestId).map(({ event }) => event)
  }

  /** From now on the process that reaches this event of this request kills itself. */
  arm(requestId: string, event: string): void {
    rmSync(join(this.#directory, 'fired'), { force: true })
    writeFileSync(join(this.#directory, 'armed'), `${requestId} ${event}`)
  }

  disarm(): void {
    rmSync(join(this.#directory, 'armed'), { force: true })
  }

  /** Resolves when the process has died; false when it never does. */
  fired(withinMs: number): Promise<boolean> {
    return eventually(() => existsSync(join(this.#directory, 'fired')), Boolean, withinMs, 10)
  }

  /** The ready process of a service. */
  readyPid(service: string): string {
    const file = join(this.#directory, `ready-${service}`)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  /** Resolves when another process has replaced this one. */
  replaced(service: string, pid: string, withinMs: number): Promise<boolean> {
    return eventually(() => this.readyPid(service) !== pid, Boolean, withinMs, 10)
  }
}
