import { fileURLToPath } from 'node:url'
import { plainReporter } from '../../dev/progress.ts'
import { startStack, type Stack, type StackOptions } from '../../dev/stack.ts'
import { AfterSale, untilMirrored } from './after-sale.ts'
import { readBooks, settled } from '../support/books.ts'
import { sendOrders, type Timed } from '../support/order-clients.ts'
import { violationsAfterSale, violationsOf, type Change, type Violation } from '../support/invariants.ts'
import { injectFaults, ONE_ROUND, type Fault } from './nemesis.ts'
import { randomOf } from '../support/random.ts'
import { quantile } from '../support/statistics.ts'

export type ChaosOptions = {
  /** The minimum number of orders. The load continues until each fault has occurred. */
  orders: number
  atOnce: number
  seed: number
  /** The shortest and longest time between faults. Null injects only the faults of the stack itself. */
  pauseMs: [number, number] | null
  /** The maximum number of faults. If absent, faults continue until the load ends. */
  mostFaults?: number
  /** Called after each final response, with the number of orders so far. */
  progress?: (done: number) => void
  print: (line: string) => void
}

export type Report = {
  entries: Timed[]
  changes: Change[]
  faults: Fault[]
  violations: Violation[]
  settledMs: number | null
}

/** Starts a stack for fault injection. `bus`: variables for all services that use RabbitMQ. */
export const startStackForChaos = (
  print: (line: string) => void,
  { between, bus = {} }: Pick<StackOptions, 'between'> & { bus?: Record<string, string> } = {},
): Promise<Stack> =>
  startStack({
    runDirectory: fileURLToPath(new URL('../../.run/chaos', import.meta.url)),
    reporter: plainReporter(print),
    replicas: 2,
    fresh: true,
    ...(between && { between }),
    env: {
      catalog: bus,
      accounts: bus,
      payments: bus,
      orders: { ...bus, TRANSMIT_DEADLINE_MS: '120000' },
      simulators: { STEP_MS: '500' },
      gateway: { RATE_LIMIT_REQUESTS: '1000000' },
    },
  })

/** Sends orders under fault injection, waits until all sagas have ended, and checks all invariants against four records. */
export async function runChaos(stack: Stack, options: ChaosOptions): Promise<Report> {
  const { print, seed, pauseMs, orders, mostFaults = Infinity } = options
  const loadOver = new AbortController()
  const faultsOver = new AbortController()
  const started = performance.now()
  const faults: Fault[] = []
  let sent = 0
  const endWhenEnough = () => {
    if (sent >= orders && (!pauseMs || faults.length >= ONE_ROUND)) loadOver.abort()
    if (loadOver.signal.aborted || faults.length >= mostFaults) faultsOver.abort()
    return loadOver.signal.aborted
  }
  const add = (fault: Fault) => {
    faults.push(fault)
    // This check also runs while all clients wait for responses and start no order.
    endWhenEnough()
  }
  const injecting =
    pauseMs && injectFaults(stack, randomOf(seed), { pauseMs, signal: faultsOver.signal, report: add })
  const afterSale = new AfterSale(stack.file, randomOf(seed + 1))
  const entries = await sendOrders(stack.file, {
    ...options,
    enough: (begun) => {
      sent = begun
      return endWhenEnough()
    },
    onResponse: (entry) => afterSale.begin(entry),
    progress: (done) => {
      options.progress?.(done)
      if (done % 500 === 0) print(`  ${done} orders have a final response`)
    },
  })
  await Promise.all([injecting, afterSale.ended()])
  const loadMs = performance.now() - started
  const settledMs = await settled(stack)
  const { changes } = afterSale
  await untilMirrored(stack.file, changes)
  const books = await readBooks(stack.file)
  const violations = [...violationsOf(entries, books), ...violationsAfterSale(changes, books.orders)]
  const report = { entries, changes, faults, violations, settledMs }
  describe(report, { ...options, loadMs })
  return report
}

const tally = (words: readonly string[]) =>
  [...Map.groupBy(words, (word) => word)]
    .map(([word, all]) => `${word} ${all.length}`)
    .toSorted()
    .join(', ')

function describe(
  { entries, changes, faults, violations, settledMs }: Report,
  { print, seed, loadMs }: ChaosOptions & { loadMs: number },
): void {
  print(
    `seed ${seed}: ${entries.length} orders (${tally(entries.map(({ kind }) => kind))}) in ${Math.round(loadMs / 1000)} s`,
  )
  print(
    `responses: ${tally(entries.map(({ response }) => String(response?.status ?? 'none')))}; sent ${entries.reduce((sum, { attempts }) => sum + attempts, 0)} times`,
  )
  print(`after the sale: ${tally(changes.map(({ what, status }) => `${what} ${status ?? 'none'}`))}`)
  const times = entries.map(({ ms }) => ms)
  print(
    `final response after ${[0.5, 0.9, 0.99, 1].map((share) => `p${share * 100} ${Math.round(quantile(times, share))} ms`).join(', ')}`,
  )
  print(`faults: ${faults.length} (${tally(faults.map(({ what }) => what))})`)
  print(
    settledMs === null
      ? 'NOT settled 60 s after the last fault'
      : `settled ${Math.round(settledMs)} ms after the last response`,
  )
  for (const [rule, all] of Map.groupBy(violations, ({ rule: name }) => name)) {
    print(`VIOLATED ${rule}: ${all.length}`)
    for (const { what, order } of all.slice(0, 3)) print(`  ${what}\n  ${JSON.stringify(order)}`)
  }
  print(violations.length === 0 ? '0 lost, 0 double, 0 wrong, 0 stuck' : `${violations.length} violations`)
}
