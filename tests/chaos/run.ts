import type { Stack, StackOptions } from '../../dev/stack.ts'
import { AfterSale } from './after-sale.ts'
import { readBooks } from '../support/books.ts'
import { eventually } from '../support/eventually.ts'
import { sendOrders, type Timed } from '../support/order-clients.ts'
import { violationsAfterSale, violationsOf, type Change, type Violation } from '../support/invariants.ts'
import { injectFaults, ONE_ROUND } from './nemesis.ts'
import { randomOf } from '../support/random.ts'
import { print, startTestStack } from '../support/stack.ts'
import { quantile, tally } from '../support/statistics.ts'

type ChaosOptions = {
  /** The minimum number of orders. The load continues until each fault has occurred. */
  orders: number
  concurrency: number
  seed: number
  /** The shortest and longest time between faults. Null injects none. */
  pauseMs: readonly [number, number] | null
  /** The number of rounds of faults; default: until the load ends. On a slow machine, further faults would prolong the load. */
  rounds?: number
  /** Called after each final response. */
  onResponse?: () => void
}

/** `faults`: their names, in their order. `p99Ms`: of the times to a final response. */
type Report = { faults: string[]; violations: Violation[]; p99Ms: number }

/** Starts a stack for fault injection. `bus`: variables for all services that use RabbitMQ. */
export const startStackForChaos = ({
  bus = {},
  ...servers
}: Pick<StackOptions, 'find'> & { bus?: Record<string, string> } = {}): Promise<Stack> =>
  startTestStack('chaos', {
    replicas: 2,
    ...servers,
    env: {
      catalog: bus,
      accounts: bus,
      payments: bus,
      orders: { ...bus, TRANSMIT_DEADLINE_MS: '120000' },
      simulators: { STEP_MS: '500' },
      gateway: { RATE_LIMIT_REQUESTS: '1000000' },
    },
  })

/**
 * An unfinished saga is a violation, and so is a missing refund. The comparison of payments finds a lost event: at most 144 s after the
 * last one, and 30 s later if that one crashed.
 */
const ENDED_WITHIN_MS = 240_000

/** PostgreSQL may still restart after the last fault. */
const unreadable = (error: unknown): Violation[] => [{ what: String(error), order: null }]
const isEmpty = (found: readonly Violation[]) => found.length === 0

/** Sends orders under fault injection, and waits until four records satisfy all invariants. Returns the violations that remain. */
export async function runChaos(stack: Stack, options: ChaosOptions): Promise<Report> {
  const { seed, pauseMs, orders, rounds = Infinity } = options
  const started = performance.now()
  const faults: string[] = []
  let sent = 0
  const isEnough = () => sent >= orders && (!pauseMs || faults.length >= ONE_ROUND)
  const isOver = () => isEnough() || faults.length >= rounds * ONE_ROUND
  const injecting = pauseMs && injectFaults(stack, { random: randomOf(seed), pauseMs, faults, isOver })
  const afterSale = new AfterSale(stack.file, randomOf(seed + 1))
  const entries = await sendOrders(stack.file, {
    ...options,
    enough: (begun) => {
      sent = begun
      return isEnough()
    },
    onResponse: (entry) => {
      afterSale.begin(entry)
      options.onResponse?.()
    },
  })
  await Promise.all([injecting, afterSale.ended()])
  print(`seed ${seed}: ${entries.length} orders in ${Math.round((performance.now() - started) / 1000)} s`)
  const { changes } = afterSale
  const find = async (): Promise<Violation[]> => {
    const books = await readBooks(stack.file)
    return [...violationsOf(entries, books), ...violationsAfterSale(changes, books.orders)]
  }
  const violations = await eventually(() => find().catch(unreadable), isEmpty, ENDED_WITHIN_MS, 1_000)
  describe(entries, changes, faults)
  const p99Ms = quantile(
    entries.map(({ ms }) => ms),
    0.99,
  )
  return { faults, violations, p99Ms }
}

const counted = (words: readonly (string | number)[]) => JSON.stringify(tally(words))

function describe(entries: readonly Timed[], changes: readonly Change[], faults: readonly string[]): void {
  const times = entries.map(({ ms }) => ms)
  const shares = [0.5, 0.9, 0.99, 1].map(
    (share) => `p${share * 100} ${Math.round(quantile(times, share))} ms`,
  )
  print(`orders: ${counted(entries.map(({ kind }) => kind))}`)
  print(`responses: ${counted(entries.map(({ response }) => response?.status ?? 'none'))}`)
  print(`final response after ${shares.join(', ')}`)
  print(`after the sale: ${counted(changes.map(({ what, status }) => `${what} ${status ?? 'none'}`))}`)
  print(`faults: ${counted(faults)}`)
}
