import type { Broker } from './broker.ts'
import type { Database } from './database.ts'
import type { Monitors } from './monitors.ts'
import type { ProcessorNetwork } from './processor.ts'
import type { Restaurants } from './restaurants.ts'
import type { Process, World } from './world.ts'

/** Everything there is in one run. */
export type Simulation = {
  world: World
  broker: Broker
  database: Database
  processor: ProcessorNetwork
  restaurants: Restaurants
  monitors: Monitors
}

let present: Simulation | null = null

/** What is being run. The modules that take the place of real ones have no other way to it. */
export function simulation(): Simulation {
  if (!present) throw new Error('nothing is being run')
  return present
}

export function enter(next: Simulation | null): void {
  present = next
}

export const world = (): World => simulation().world

/** Whose code runs at the moment. */
export function me(): Process {
  const { current } = world()
  if (!current) throw new Error('nobody is running')
  return current
}
