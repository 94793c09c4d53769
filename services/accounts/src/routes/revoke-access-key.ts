import { RevokeAccessKey } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { ACCESS_KEY_NOT_FOUND, LAST_OPERATOR_KEY } from '#/domain/refusals.ts'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { revokeKey } from '#/store/access-key-records.ts'
import type { Db } from '#/store/tables.ts'

/** The gateways ask again each second whom a key belongs to, so that the end is felt by then. */
export function revokeAccessKey(db: Db): Handler<typeof RevokeAccessKey> {
  const { execute } = idempotent(db, RevokeAccessKey)
  return (call) =>
    execute(call, async (trx) => {
      const revoked = await revokeKey(trx, call.params.id)
      if (revoked.kind === 'unknown') throw Problem.refusal(ACCESS_KEY_NOT_FOUND)
      if (revoked.kind === 'last') throw Problem.refusal(LAST_OPERATOR_KEY)
      return revoked.key
    })
}
