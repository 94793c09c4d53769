import type { Authorization } from '#/domain/authorization.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'

/** An in-memory AuthorizationStore, with the conditions of the SQL statements. */
export function memoryAuthorizations(): AuthorizationStore {
  const rows = new Map<string, Authorization>()
  const find = (orderApiKey: string) => rows.get(orderApiKey) ?? null
  const put = (row: Authorization) => {
    rows.set(row.orderApiKey, row)
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
      const now = find(row.orderApiKey)
      if (!now) throw new Error(`there is no authorization of order ${row.orderApiKey}`)
      return now.state === row.state ? put({ ...now, ...change } as Authorization) : now
    },
    async recordUnknown() {
      // For operators only; no decision depends on it.
    },
  }
}
