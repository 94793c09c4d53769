import { RotateAccessKey } from '@platter/contracts'
import { Problem, type Handler, type Db } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { DerivedAccessKeys } from '#/derived-access-keys.ts'
import { modeOf } from '#/domain/key-mode.ts'
import type { AccessKeyRecordStore } from '#/store/access-key-records.ts'

type Deps = {
  db: Db
  accessKeyRecords: (db: Db) => Pick<AccessKeyRecordStore, 'lock' | 'replace'>
  derivedKeys: DerivedAccessKeys
}

/** The new key has the kind, mode and holder of the old key. */
export function rotateAccessKey({
  db,
  accessKeyRecords,
  derivedKeys,
}: Deps): Handler<typeof RotateAccessKey> {
  const { execute } = idempotent(db, RotateAccessKey, derivedKeys.reveal)
  return (call) =>
    execute(call, async (trx) => {
      const records = accessKeyRecords(trx)
      const old = await records.lock(call.params.id)
      if (!old) throw new Problem('access-key-not-found')
      if (!old.isValid)
        throw new Problem('access-key-ended', 'The access key is revoked or expired. Issue a new one.')
      const { nonce, stored } = derivedKeys.issue(modeOf(old.prefix))
      const { overlapMinutes } = call.body
      const { created, replaces } = await records.replace(old, { key: stored, overlapMinutes })
      return { id: stored.id, accessKey: nonce, prefix: stored.prefix, created, replaces }
    })
}
