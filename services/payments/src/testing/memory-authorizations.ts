import type { Authorization } from '#/domain/authorization.ts'
import type { Authorizations } from '#/store/authorizations.ts'

/** The rows of `authorizations` in memory, for tests that are about what the processor says. */
export function memoryAuthorizations(): Authorizations {
  const rows = new Map<string, Authorization>()
  const find = (orderApiKey: string) => rows.get(orderApiKey) ?? null
  const keep = (row: Authorization) => {
    rows.set(row.orderApiKey, row)
    return row
  }
  const known = { releaseRequested: false, ageSeconds: 0 }
  return {
    find: async (orderApiKey) => find(orderApiKey),
    send: async (orderApiKey, hold) =>
      find(orderApiKey) ?? keep({ orderApiKey, ...known, state: 'sent', ...hold }),
    async requestRelease(orderApiKey) {
      const row = find(orderApiKey) ?? ({ orderApiKey, ...known, state: 'released' } as const)
      return keep({ ...row, releaseRequested: true })
    },
    async move(row, change) {
      const now = find(row.orderApiKey)
      if (!now) throw new Error(`nobody has sent ${row.orderApiKey}`)
      return now.state === row.state ? keep({ ...now, ...change } as Authorization) : now
    },
    async noteUnknown() {
      // For people only: no decision is made by it.
    },
  }
}
