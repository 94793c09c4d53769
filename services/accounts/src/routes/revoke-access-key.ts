import { RevokeAccessKey } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { ACCESS_KEY_NOT_FOUND, LAST_OPERATOR_KEY } from '#/domain/refusals.ts'
import type { AccessKeyRecordStore } from '#/store/access-key-records.ts'
import type { Db } from '#/store/tables.ts'

type Deps = { db: Db; accessKeyRecords: (db: Db) => Pick<AccessKeyRecordStore, 'revoke'> }

/** Takes effect within a second, because gateways cache the principal of a key for that time. */
export function revokeAccessKey({ db, accessKeyRecords }: Deps): Handler<typeof RevokeAccessKey> {
  const { execute } = idempotent(db, RevokeAccessKey)
  return (call) =>
    execute(call, async (trx) => {
      const revoked = await accessKeyRecords(trx).revoke(call.params.id)
      if (revoked.kind === 'unknown') throw Problem.refusal(ACCESS_KEY_NOT_FOUND)
      if (revoked.kind === 'last') throw Problem.refusal(LAST_OPERATOR_KEY)
      return revoked.key
    })
}
