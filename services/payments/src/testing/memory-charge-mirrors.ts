import type { ChargeMirrorStore, MirrorRow } from '#/store/charge-mirrors.ts'

const isUnfinished = ({ refunds, disputes }: MirrorRow) =>
  disputes.some(({ state }) => state === 'open') || refunds.some(({ state }) => state === 'pending')
const textOf = ({ refunds, disputes }: Pick<MirrorRow, 'refunds' | 'disputes'>) =>
  JSON.stringify([refunds, disputes])

/**
 * An in-memory ChargeMirrorStore without its confirmations by orders and its incidents, with the conditions of the SQL statements.
 * `now` increases with each call.
 */
export function memoryChargeMirrors(): Omit<
  ChargeMirrorStore,
  'unconfirmed' | 'confirm' | 'openDisputes' | 'missingRefunds'
> {
  const rows = new Map<string, MirrorRow & { readAt: string }>()
  let time = 0
  return {
    now: async () => String(++time).padStart(9, '0'),
    find: async (orderApiKey) => rows.get(orderApiKey) ?? null,
    async set(mirror, readAt) {
      const row = rows.get(mirror.orderApiKey)
      if (row && row.readAt > readAt) return null
      if (row && textOf(row) === textOf(mirror)) return null
      const version = (row?.version ?? 0) + 1
      rows.set(mirror.orderApiKey, { ...mirror, version, readAt })
      return version
    },
    unfinished: async () => [...rows.values()].filter(isUnfinished).map(({ processorId }) => processorId),
    ordersOf: async (ids) =>
      new Map(
        [...rows.values()]
          .filter(({ processorId }) => ids.includes(processorId))
          .map(({ processorId, orderApiKey }) => [processorId, orderApiKey]),
      ),
    acquire: async () => ({ from: 1_000, now: Math.floor(Date.now() / 1_000) + 1 }),
    renew: async () => undefined,
    release: async () => undefined,
  }
}
