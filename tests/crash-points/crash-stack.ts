import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serviceNames, type ServiceName } from '../../dev/stack/services.ts'
import { eventually } from '../support/eventually.ts'
import { sendToTrees, wipeBroker } from '../support/faults.ts'
import { startTestStack } from '../support/stack.ts'
import { readEvents } from './events.ts'

export type CrashStack = Awaited<ReturnType<typeof startCrashStack>>

/**
 * Starts a stack whose services kill themselves at an armed crash point. With one replica of each service, no other replica can
 * steal a lease. Timeouts are short.
 */
export async function startCrashStack(replicas: number) {
  const directory = fileURLToPath(new URL('../../.run/crash-points', import.meta.url))
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const own = (service: ServiceName) => ({
    CRASH_DIRECTORY: directory,
    CRASH_SERVICE: service,
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--import=${new URL('instrument.ts', import.meta.url).href}`,
  })
  const env = {
    gateway: { ...own('gateway'), REQUEST_DEADLINE_MS: '5000', RATE_LIMIT_REQUESTS: '1000000' },
    catalog: own('catalog'),
    accounts: { ...own('accounts'), TRIES_PER_ADDRESS: '1000000', TRIES_PER_APPLICATION: '1000000' },
    orders: { ...own('orders'), TRANSMIT_DEADLINE_MS: '120000' },
    payments: own('payments'),
    simulators: { STEP_MS: '3600000' },
  }
  // A test kills in turn. With the launcher's growing delay, later tests would wait up to 5 s for each restart.
  const stack = await startTestStack('crash', { replicas, env, longestRestartDelayMs: 200 })
  const [armed, fired] = [join(directory, 'armed'), join(directory, 'fired')]
  return {
    stack,
    /** Returns the events of a request so far, in the order of their writing. */
    eventsOf: (requestId: string) => readEvents(directory, requestId),
    /** Arms a crash point: the process that reaches this event of this request kills itself. */
    arm(requestId: string, event: string): void {
      rmSync(fired, { force: true })
      writeFileSync(armed, `${requestId} ${event}`)
    },
    disarm: () => rmSync(armed, { force: true }),
    /** Resolves with true when a process has died at the crash point, or with false if no process died in this time. */
    fired: (withinMs: number) => eventually(() => existsSync(fired), Boolean, withinMs, 10),
    /** Kills every replica of every service, and wipes the broker. */
    async killEverything(): Promise<void> {
      sendToTrees(
        serviceNames.flatMap((name) => stack.pids(name)),
        'SIGKILL',
      )
      await wipeBroker(stack)
    },
    /** Resolves when new processes have replaced all dead ones. */
    replaced: () => Promise.all(serviceNames.map((name) => stack.ready(name))),
  }
}
