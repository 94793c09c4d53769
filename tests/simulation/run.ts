import type { Violation } from '../support/invariants.ts'
import { AfterSale } from './after-sale.ts'
import { installAmbient } from './ambient.ts'
import { Bank } from './bank.ts'
import { Broker } from './broker.ts'
import { Clients, type Kind } from './clients.ts'
import { Database } from './database.ts'
import { injectFaults } from './fault-injection.ts'
import { findViolations, isUnnotified } from './oracle.ts'
import { Replicas } from './processes.ts'
import { ProcessorNetwork } from './processor.ts'
import { ACCEPTING, Restaurants } from './restaurants.ts'
import { broker, clients, database, enter, replicas, world } from './simulation.ts'
import { World } from './world.ts'

const COMMON: readonly Kind[] = ['card', 'card', 'card', 'card', 'cash', 'cash']
const MIX: readonly Kind[] = [...COMMON, 'declined', 'refused', 'test', 'refusedLater']
/** Longer than any retry delay (72 s) and any deadline. */
const SETTLE_WITHIN_MS = 900_000

/** Begins the simulation of a seed. */
export const enterSimulation = (seed: number, isRecorded: boolean): void =>
  enter({
    world: new World(seed, isRecorded),
    broker: new Broker(),
    database: new Database(),
    processor: new ProcessorNetwork(),
    restaurants: new Restaurants(),
    replicas: new Replicas(),
    clients: new Clients(),
    afterSale: new AfterSale(seed),
    bank: new Bank(seed),
  })

/** One run: orders under faults, recovery, and the check of all invariants. Equal seeds give equal runs. */
export async function run(seed: number, isRecorded = false): Promise<Violation[]> {
  enterSimulation(seed, isRecorded)
  installAmbient()
  const { random } = world
  const isShort = random.next() < 0.4
  const deadlines = {
    sagaMs: random.pick([300_000, 300_000, 30_000, 4_000]),
    transmitMs: isShort ? random.pick([3_000, 6_000, 20_000]) : 120_000,
  }
  const mix: readonly Kind[] = isShort ? [...MIX, 'unreachable', 'unreachable', 'silent'] : MIX
  const kinds = Array.from({ length: random.pick([1, 2, 3, 4, 6]) }, () => random.pick(mix))
  replicas.start(deadlines)
  if (random.next() < 0.3) database.links.set(ACCEPTING, { kind: 'console', reports: 'detailed' })
  clients.start(kinds)
  const faultsMs = random.pick([5_000, 20_000, 40_000])
  injectFaults(faultsMs)

  await world.run(faultsMs, () => false)
  world.isCalm = true
  world.note('CALM')
  await world.run(faultsMs + SETTLE_WITHIN_MS, isSettled)
  // A delayed message may still arrive.
  await world.run(world.now + 40_000, () => false)
  // A delayed order may have reached a restaurant, whose notice of the cancellation is retried.
  await world.run(world.now + SETTLE_WITHIN_MS, isSettled)
  return findViolations(isShort)
}

const isSettled = () =>
  clients.waiting === 0 &&
  !database.isAnySagaUnfinished &&
  !broker.isBusy &&
  !database.orders.values().some(isUnnotified)
