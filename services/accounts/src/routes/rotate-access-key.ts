import { RotateAccessKey } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { modeOf } from '#/domain/key-mode.ts'
import { ACCESS_KEY_ENDED, ACCESS_KEY_NOT_FOUND } from '#/domain/refusals.ts'
import type { IssuedAccessKeys } from '#/issued-access-key.ts'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { lockForRotation, replaceKey } from '#/store/access-key-records.ts'
import type { Db } from '#/store/tables.ts'

/** The new key is of the same kind and mode, and for the same holder. */
export function rotateAccessKey(db: Db, accessKeys: IssuedAccessKeys): Handler<typeof RotateAccessKey> {
  const { execute } = idempotent(db, RotateAccessKey, accessKeys.reveal)
  return (call) =>
    execute(call, async (trx) => {
      const old = await lockForRotation(trx, call.params.id)
      if (!old) throw Problem.refusal(ACCESS_KEY_NOT_FOUND)
      if (!old.isGood) throw Problem.refusal(ACCESS_KEY_ENDED)
      const { nonce, kept } = accessKeys.issue(modeOf(old.prefix))
      const { overlapMinutes } = call.body
      const { created, replaces } = await replaceKey(trx, old, { key: kept, overlapMinutes })
      return { id: kept.id, accessKey: nonce, prefix: kept.prefix, created, replaces }
    })
}
