import type {
  IdempotencyKeyStore,
  OrderKey,
  UsedKey,
} from '../../../services/orders/src/store/idempotency-keys.ts'
import { statement, type KeyRow } from '../database.ts'
import { simulation } from '../simulation.ts'
import { keyOf } from './sagas.ts'

/** Changes or deletes (null) the row of the key, if it still belongs to the order. */
function change(used: OrderKey, to: (row: KeyRow) => KeyRow | null): void {
  const { keys } = simulation().database
  const row = keys.get(keyOf(used))
  if (row?.orderApiKey !== used.orderApiKey) return
  const changed = to(row)
  if (changed) keys.set(keyOf(used), changed)
  else keys.delete(keyOf(used))
}

const claim: IdempotencyKeyStore['claim'] = (scope, claimMs) =>
  statement(`use key ${scope.key}`, (): UsedKey | null => {
    const { database, world } = simulation()
    const row = database.keys.get(keyOf(scope))
    if (row?.orderApiKey === null) database.keys.delete(keyOf(scope))
    if (!row || row.orderApiKey === null) return null
    if (row.fingerprint !== scope.fingerprint) return { kind: 'mismatch' }
    if (row.status !== null && row.body !== null)
      return { kind: 'completed', status: row.status, body: row.body }
    if (row.busyUntil > world.now) return { kind: 'in-flight' }
    database.keys.set(keyOf(scope), { ...row, busyUntil: world.now + claimMs })
    return { kind: 'resumed', orderApiKey: row.orderApiKey }
  })

const markRefused: IdempotencyKeyStore['markRefused'] = (scope) =>
  statement(`refuse key ${scope.key}`, () => {
    const { keys } = simulation().database
    if (keys.get(keyOf(scope))?.orderApiKey) return false
    const { fingerprint } = scope
    keys.set(keyOf(scope), { fingerprint, orderApiKey: null, busyUntil: 0, status: null, body: null })
    return true
  })

const complete: IdempotencyKeyStore['complete'] = (used, response) =>
  statement(`complete ${used.key}`, () =>
    change(used, (row) => (row.status === null ? { ...row, ...response } : row)),
  )

const release: IdempotencyKeyStore['release'] = (used) =>
  statement(`release key ${used.key}`, () =>
    change(used, (row) => ({ ...row, busyUntil: simulation().world.now })),
  )

const remove: IdempotencyKeyStore['delete'] = (used) =>
  statement(`delete key ${used.key}`, () => change(used, () => null))

export const idempotencyKeys = { claim, markRefused, complete, release, delete: remove }
