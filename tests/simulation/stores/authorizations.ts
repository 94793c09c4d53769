import type { AuthorizationStore } from '../../../services/payments/src/store/authorizations.ts'
import { memoryAuthorizations } from '../../../services/payments/src/testing/memory-authorizations.ts'
import { statement } from '../database.ts'
import { simulation } from '../simulation.ts'

function rows(): AuthorizationStore {
  const { database, world } = simulation()
  return memoryAuthorizations(database.authorizations, () => world.now)
}

const short = (orderApiKey: string) => orderApiKey.slice(0, 4)

/** The rows of payments, in the simulated database. */
export const authorizations: AuthorizationStore = {
  find: (orderApiKey) => statement(`authorization of ${short(orderApiKey)}`, () => rows().find(orderApiKey)),

  findOrCreate: (orderApiKey, ...terms) =>
    statement(`create authorization of ${short(orderApiKey)}`, () =>
      rows().findOrCreate(orderApiKey, ...terms),
    ),

  requestRelease: (orderApiKey) =>
    statement(`request release of ${short(orderApiKey)}`, () => rows().requestRelease(orderApiKey)),

  move: (row, change) =>
    statement(`authorization of ${short(row.orderApiKey)} to ${change.state}`, () =>
      rows().move(row, change),
    ),

  // Only operators read it: no decision depends on it.
  recordUnknown: async () => undefined,
}
