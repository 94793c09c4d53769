import type { AfterSale } from './after-sale.ts'
import type { Bank } from './bank.ts'
import type { Broker } from './broker.ts'
import type { Database } from './database.ts'
import type { Monitors } from './monitors.ts'
import type { ProcessorNetwork } from './processor.ts'
import type { Restaurants } from './restaurants.ts'
import type { Process, World } from './world.ts'

/** The parts of one run. */
export type Simulation = {
  world: World
  broker: Broker
  database: Database
  processor: ProcessorNetwork
  restaurants: Restaurants
  monitors: Monitors
  afterSale: AfterSale
  bank: Bank
}

let present: Simulation | null = null

/** The current run. Test doubles have no other access to it. */
export function simulation(): Simulation {
  if (!present) throw new Error('no simulation is running')
  return present
}

export function enter(next: Simulation | null): void {
  present = next
}

export const world = (): World => simulation().world

/** The process whose code runs now. */
export function me(): Process {
  const { current } = world()
  if (!current) throw new Error('no process is running')
  return current
}
