import { IssueOperatorAccessKey } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { IssuedAccessKeys } from '#/issued-access-key.ts'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { insertOperatorKey } from '#/store/access-keys.ts'
import type { Db } from '#/store/tables.ts'

export function issueOperatorAccessKey(
  db: Db,
  accessKeys: IssuedAccessKeys,
): Handler<typeof IssueOperatorAccessKey> {
  const { execute } = idempotent(db, IssueOperatorAccessKey, accessKeys.reveal)
  return (call) =>
    execute(call, async (trx) => {
      const { nonce, kept } = accessKeys.issue(call.body.mode)
      const { created } = await insertOperatorKey(trx, kept)
      return { id: kept.id, accessKey: nonce, prefix: kept.prefix, created }
    })
}
