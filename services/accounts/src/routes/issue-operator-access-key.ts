import { IssueOperatorAccessKey } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { IssuedAccessKeys } from '#/issued-access-key.ts'
import { keptOnce } from '@platter/kit/postgres/kept-once'
import { insertOperatorKey } from '#/store/access-keys.ts'
import type { Db } from '#/store/tables.ts'

export function issueOperatorAccessKey(
  db: Db,
  accessKeys: IssuedAccessKeys,
): Handler<typeof IssueOperatorAccessKey> {
  const { once } = keptOnce(db, IssueOperatorAccessKey, accessKeys.reveal)
  return (call) =>
    once(call, async (trx) => {
      const { nonce, kept } = accessKeys.issue(call.body.mode)
      const { created } = await insertOperatorKey(trx, kept)
      return { id: kept.id, accessKey: nonce, prefix: kept.prefix, created }
    })
}
