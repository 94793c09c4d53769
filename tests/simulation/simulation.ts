import type { AfterSale } from './after-sale.ts'
import type { Bank } from './bank.ts'
import type { Broker } from './broker.ts'
import type { Clients } from './clients.ts'
import type { Database } from './database.ts'
import type { ProcessorNetwork } from './processor.ts'
import type { Replicas } from './processes.ts'
import type { Restaurants } from './restaurants.ts'
import type { Process, World } from './world.ts'

/** The parts of one run. */
type Simulation = {
  world: World
  broker: Broker
  database: Database
  processor: ProcessorNetwork
  restaurants: Restaurants
  replicas: Replicas
  clients: Clients
  afterSale: AfterSale
  bank: Bank
}

/* The parts of the current run. All test doubles read them here. */
export let world: World
export let broker: Broker
export let database: Database
export let processor: ProcessorNetwork
export let restaurants: Restaurants
export let replicas: Replicas
export let clients: Clients
export let afterSale: AfterSale
export let bank: Bank

export function enter(next: Simulation): void {
  ;({ world, broker, database, processor, restaurants, replicas, clients, afterSale, bank } = next)
}

/** The process whose code runs now. */
export function currentProcess(): Process {
  if (!world.current) throw new Error('no process is running')
  return world.current
}
