export * from '../../../services/orders/src/store/idempotency-keys.ts'
import type * as real from '../../../services/orders/src/store/idempotency-keys.ts'
import { statement, type KeyRow } from '../database.ts'
import { simulation } from '../simulation.ts'
import { keyOf } from './sagas.ts'

/** Changes the key's row, or takes it away (null), if it is still that of the order. */
function change(used: real.UsedFor, to: (row: KeyRow) => KeyRow | null): void {
  const { keys } = simulation().database
  const row = keys.get(keyOf(used))
  if (row?.orderApiKey !== used.orderApiKey) return
  const changed = to(row)
  if (changed) keys.set(keyOf(used), changed)
  else keys.delete(keyOf(used))
}

export const use: typeof real.use = (_db, scope, busyMs) =>
  statement(`use key ${scope.key}`, (): real.Used | null => {
    const { database, world } = simulation()
    const row = database.keys.get(keyOf(scope))
    if (!row) return null
    if (row.fingerprint !== scope.fingerprint) return { kind: 'mismatch' }
    if (row.status !== null && row.body !== null) return { kind: 'kept', status: row.status, body: row.body }
    if (row.busyUntil > world.now) return { kind: 'running' }
    database.keys.set(keyOf(scope), { ...row, busyUntil: world.now + busyMs })
    return { kind: 'resumed', orderApiKey: row.orderApiKey }
  })

export const keep: typeof real.keep = (_db, used, answer) =>
  statement(`keep answer of ${used.key}`, () =>
    change(used, (row) => (row.status === null ? { ...row, ...answer } : row)),
  )

export const letGo: typeof real.letGo = (_db, used) =>
  statement(`let go of key ${used.key}`, () =>
    change(used, (row) => ({ ...row, busyUntil: simulation().world.now })),
  )

export const forget: typeof real.forget = (_db, used) =>
  statement(`forget key ${used.key}`, () => change(used, () => null))

export const isTaken: typeof real.isTaken = (error) =>
  error instanceof Error && (error as Error & { constraint?: string }).constraint === 'idempotency_keys_pkey'
