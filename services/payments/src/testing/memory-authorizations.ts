import type { Authorization } from '#/domain/authorization.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'

/** `sentAt` in milliseconds of the clock of the store. */
export type MemoryRows = Map<string, { row: Authorization; sentAt: number }>

/**
 * An in-memory AuthorizationStore, with the conditions of the SQL statements. The simulation compares it with PostgreSQL. Without a
 * clock, its time stands still.
 */
export function memoryAuthorizations(rows: MemoryRows = new Map(), now = () => 0): AuthorizationStore {
  function find(orderApiKey: string): Authorization | null {
    const found = rows.get(orderApiKey)
    return found ? { ...found.row, ageSeconds: Math.floor((now() - found.sentAt) / 1000) } : null
  }
  function put(row: Authorization): Authorization {
    rows.set(row.orderApiKey, { row, sentAt: rows.get(row.orderApiKey)?.sentAt ?? now() })
    return row
  }
  const fresh = { releaseRequested: false, ageSeconds: 0 }
  return {
    find: async (orderApiKey) => find(orderApiKey),
    findOrCreate: async (orderApiKey, terms, refusal = null) =>
      find(orderApiKey) ??
      put({
        orderApiKey,
        ...fresh,
        ...terms,
        ...(refusal ? { state: 'declined', refusal } : { state: 'sent' }),
      }),
    async requestRelease(orderApiKey) {
      const row = find(orderApiKey) ?? ({ orderApiKey, ...fresh, state: 'released' } as const)
      return put({ ...row, releaseRequested: true })
    },
    async move(row, change) {
      const current = find(row.orderApiKey)
      if (!current) throw new Error(`there is no authorization of order ${row.orderApiKey}`)
      const isMoved = current.state === row.state
      return { isMoved, row: isMoved ? put({ ...current, ...change } as Authorization) : current }
    },
    async recordUnknown() {
      // For operators only; no decision depends on it.
    },
  }
}
