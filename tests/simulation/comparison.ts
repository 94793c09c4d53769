import { isUnavailable } from '@platter/kit'
import { isKeyConflict } from '../../services/orders/src/store/idempotency-keys.ts'
import type { AllStores } from './database.ts'
import { enterSimulation } from './run.ts'
import { database } from './simulation.ts'

/*
 * The simulation is valid only if its tables behave like PostgreSQL. The tests of the stores execute the same random statements on
 * both, and compare the results.
 */

/** Returns the stores of an empty simulated database. Each statement has its effect at once, and time stands still. */
export function newMemoryStores(): AllStores {
  enterSimulation(1, false)
  return database.effects as unknown as AllStores
}

type Rejection = { isKeyTaken: boolean }
/**
 * Returns the comparable result of a statement, or whether it was rejected because its idempotency key is taken. Rejects while
 * PostgreSQL is unavailable.
 */
export const settled = (statement: () => Promise<unknown>): Promise<unknown> =>
  Promise.try(statement).then(comparable, (error: unknown): Rejection => {
    if (isUnavailable(error)) throw error
    return { isKeyTaken: isKeyConflict(error) }
  })
export const isRejection = (result: unknown) =>
  typeof result === 'object' && result !== null && 'isKeyTaken' in result

/** Numbers and times differ. */
const IGNORED = ['id', 'datePlaced', 'ageSeconds', 'age']

/** Removes the ignored fields, and sorts lists and names. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(comparable).toSorted((one, other) => (text(one) < text(other) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([name]) => !IGNORED.includes(name))
  const named = fields.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(named.map(([name, inner]) => [name, comparable(inner)]))
}
const text = (value: unknown) => JSON.stringify(value)
