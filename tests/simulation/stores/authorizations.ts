import type { Authorization, Terms } from '../../../services/payments/src/domain/authorization.ts'
import type { Decline } from '../../../services/payments/src/domain/declines.ts'
import type { AuthorizationStore } from '../../../services/payments/src/store/authorizations.ts'
import { statement } from '../database.ts'
import { simulation } from '../simulation.ts'

type Fields = Omit<Authorization, 'orderApiKey' | 'releaseRequested' | 'ageSeconds'>

function read(orderApiKey: string): Authorization | null {
  const { database, world } = simulation()
  const found = database.authorizations.get(orderApiKey)
  return found ? { ...found.row, ageSeconds: Math.floor((world.now - found.sentAt) / 1000) } : null
}

function write(orderApiKey: string, releaseRequested: boolean, fields: Fields): Authorization {
  const { database, world } = simulation()
  const sentAt = database.authorizations.get(orderApiKey)?.sentAt ?? world.now
  const row = { ...fields, orderApiKey, releaseRequested, ageSeconds: 0 } as Authorization
  database.authorizations.set(orderApiKey, { row, sentAt })
  return read(orderApiKey) ?? row
}

const created = (terms: Terms, refusal: Decline | null) => ({
  ...terms,
  ...(refusal ? { state: 'declined' as const, refusal } : { state: 'sent' as const }),
})

const short = (orderApiKey: string) => orderApiKey.slice(0, 4)

/** The rows of payments, with the conditions of `services/payments/src/store/authorizations.ts`. */
export const authorizations: AuthorizationStore = {
  find: (orderApiKey) => statement(`authorization of ${short(orderApiKey)}`, () => read(orderApiKey)),

  findOrCreate: (orderApiKey, terms, refusal = null) =>
    statement(
      `create authorization of ${short(orderApiKey)}`,
      () => read(orderApiKey) ?? write(orderApiKey, false, created(terms, refusal)),
    ),

  requestRelease: (orderApiKey) =>
    statement(`request release of ${short(orderApiKey)}`, () =>
      write(orderApiKey, true, read(orderApiKey) ?? { state: 'released' }),
    ),

  move: ({ orderApiKey, state }, change) =>
    statement(`authorization of ${short(orderApiKey)} to ${change.state}`, () => {
      const row = read(orderApiKey)
      if (!row) throw new Error('rows are never deleted')
      return row.state === state ? write(orderApiKey, row.releaseRequested, { ...row, ...change }) : row
    }),

  // Only operators read it: no decision depends on it.
  recordUnknown: async () => undefined,
}
