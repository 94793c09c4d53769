import type { Violation } from '../support/invariants.ts'
import { AfterSale } from './after-sale.ts'
import { installAmbient } from './ambient.ts'
import { Bank } from './bank.ts'
import { Broker } from './broker.ts'
import { Clients, type Kind } from './clients.ts'
import { Database } from './database.ts'
import { findViolations, unnotified } from './oracle.ts'
import { Monitors } from './monitors.ts'
import { orders, others, payments, Replica, type Deadlines } from './processes.ts'
import { ProcessorNetwork } from './processor.ts'
import { Restaurants, RESTAURANTS } from './restaurants.ts'
import { enter, type Simulation } from './simulation.ts'
import { injectFaults } from './fault-injection.ts'
import { World } from './world.ts'

export type Outcome = {
  seed: number
  violations: Violation[]
  history: string[]
  kinds: readonly Kind[]
  faults: ReadonlyMap<string, number>
  states: ReadonlySet<string>
  events: number
  /** Virtual milliseconds from the last fault to the end of all sagas. Null if a saga never ended. */
  settledMs: number | null
  /** Orders that were cancelled although their restaurant had received them, because every response was lost. */
  inDoubt: number
}

const MIX: readonly Kind[] = [
  'card',
  'card',
  'card',
  'card',
  'cash',
  'cash',
  'declined',
  'refused',
  'test',
  'recanted',
]
/** Longer than any retry delay (72 s) and any deadline. */
const SETTLE_WITHIN_MS = 900_000

/** One run: orders under faults, recovery, and the check of all invariants. Equal seeds give equal runs. */
export async function run(seed: number, options: { record: boolean }): Promise<Outcome> {
  const world = new World(seed, options)
  const all: Simulation = {
    world,
    broker: new Broker(world),
    database: new Database(),
    processor: new ProcessorNetwork(world),
    restaurants: new Restaurants(world),
    monitors: new Monitors(world),
    afterSale: new AfterSale(world, seed),
    bank: new Bank(world, seed),
  }
  const restoreAmbient = installAmbient()
  enter(all)
  try {
    return await play(seed, all)
  } finally {
    enter(null)
    restoreAmbient()
  }
}

async function play(seed: number, all: Simulation): Promise<Outcome> {
  const { world, database, broker } = all
  const { random } = world
  const isShort = random.next() < 0.4
  const deadlines = {
    sagaMs: random.pick([300_000, 300_000, 30_000, 4_000]),
    transmitMs: isShort ? random.pick([3_000, 6_000, 20_000]) : 120_000,
  }
  const mix: readonly Kind[] = isShort ? [...MIX, 'unreachable', 'unreachable', 'silent'] : MIX
  const kinds = Array.from({ length: random.pick([1, 2, 3, 4, 6]) }, () => random.pick(mix))
  const replicas = startReplicas(world, deadlines)
  all.bank.replicas = replicas.payments
  if (random.next() < 0.3) database.links.set(RESTAURANTS.accepts, { kind: 'console', reports: 'detailed' })
  const clients = new Clients(all, replicas.orders, kinds)
  const faultsMs = random.pick([5_000, 20_000, 40_000])
  injectFaults(all, Object.values(replicas).flat(), faultsMs)

  const isSettled = () =>
    clients.waiting === 0 && database.unfinished === 0 && broker.waiting === 0 && unnotified(all).length === 0
  await world.run(faultsMs, () => false)
  world.calm = true
  world.note('CALM')
  await world.run(faultsMs + SETTLE_WITHIN_MS, isSettled)
  const settledMs = isSettled() ? Math.max(0, world.now - faultsMs) : null
  // A delayed message may still arrive.
  await world.run(world.now + 40_000, () => false)
  // A delayed order may have reached a restaurant, whose notice of the cancellation is retried.
  await world.run(world.now + SETTLE_WITHIN_MS, isSettled)
  const { violations, inDoubt } = findViolations(all, clients, isShort)
  return {
    seed,
    violations,
    history: world.history ?? [],
    kinds: clients.book.map(({ kind }) => kind),
    faults: world.faults,
    states: database.seen,
    events: world.events,
    settledMs,
    inDoubt,
  }
}

function startReplicas(world: World, deadlines: Deadlines) {
  const boot = orders(deadlines)
  return {
    orders: [new Replica(world, 'orders', boot), new Replica(world, 'orders-2', boot)],
    payments: [new Replica(world, 'payments', payments), new Replica(world, 'payments-2', payments)],
    others: [new Replica(world, 'others', others)],
  }
}
