import { isClaimed } from '../../services/orders/src/store/idempotency-keys.ts'
import { Database } from './database.ts'
import { enter, type Simulation } from './simulation.ts'
import { Process, World } from './world.ts'

/*
 * The simulation is valid only if its tables behave like PostgreSQL. The tests of the stores execute the same random statements on
 * both, and compare the results.
 */

/** Returns a function that executes statements in a world without faults, with one process. */
export function calmWorld() {
  const world = new World(1, { record: false })
  world.calm = true
  const restaurants = { show: () => undefined }
  enter({ world, restaurants, database: new Database() } as unknown as Simulation)
  const process = new Process('test')
  return async function inWorld<T>(work: () => Promise<T>): Promise<T> {
    let result: Promise<T> | null = null
    let isSettled = false
    world.later(0, process, () => {
      result = work()
      void result.then(
        () => (isSettled = true),
        () => (isSettled = true),
      )
    })
    await world.run(Infinity, () => isSettled)
    return result!
  }
}

type Rejection = { isKeyTaken: boolean }
/** Returns the comparable result of a statement, or that its idempotency key is taken. */
export const settled = (work: Promise<unknown>): Promise<unknown> =>
  work.then(comparable, (error: unknown): Rejection => ({ isKeyTaken: isClaimed(error) }))
export const isRejection = (result: unknown) =>
  typeof result === 'object' && result !== null && 'isKeyTaken' in result

/** Removes fields that only one side has, or that must differ: numbers and times. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(comparable).toSorted((one, other) => (text(one) < text(other) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  const {
    id: _1,
    datePlaced: _2,
    ageSeconds: _3,
    age: _4,
    applicationId: _5,
    // Only the in-memory store returns these fields of an order everywhere: see `loaded` and `saved`.
    outcome: _6,
    told: _7,
    shown: _8,
    ...rest
  } = value as Record<string, unknown>
  // Sorted by name, so that the lists of both sides have the same order.
  const named = Object.entries(rest).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(named.map(([name, inner]) => [name, comparable(inner)]))
}
const text = (value: unknown) => JSON.stringify(value)
