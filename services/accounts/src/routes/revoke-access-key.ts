import { RevokeAccessKey } from '@platter/contracts'
import { Problem, type Handler, type Db } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { AccessKeyRecordStore } from '#/store/access-key-records.ts'

const LAST_OPERATOR_KEY =
  'This is the last operator access key without an expiry. Issue or rotate one first: only an operator can issue access keys.'

type Deps = { db: Db; accessKeyRecords: (db: Db) => Pick<AccessKeyRecordStore, 'revoke'> }

/** Takes effect within a second, because gateways cache the principal of a key for that time. */
export function revokeAccessKey({ db, accessKeyRecords }: Deps): Handler<typeof RevokeAccessKey> {
  const { execute } = idempotent(db, RevokeAccessKey)
  return (call) =>
    execute(call, async (trx) => {
      const revoked = await accessKeyRecords(trx).revoke(call.params.id)
      if (revoked.kind === 'unknown') throw new Problem('access-key-not-found')
      if (revoked.kind === 'last') throw new Problem('last-operator-key', LAST_OPERATOR_KEY)
      return revoked.key
    })
}
