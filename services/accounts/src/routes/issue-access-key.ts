import { IssueAccessKey } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { APPLICATION_NOT_FOUND } from '#/domain/refusals.ts'
import type { IssuedAccessKeys } from '#/issued-access-key.ts'
import { keptOnce } from '@platter/kit/kept-once'
import { insertApplicationKey } from '#/store/access-keys.ts'
import type { Db } from '#/store/tables.ts'

export function issueAccessKey(db: Db, accessKeys: IssuedAccessKeys): Handler<typeof IssueAccessKey> {
  const { once } = keptOnce(db, IssueAccessKey, accessKeys.reveal)
  return (call) =>
    once(call, async (trx) => {
      const { nonce, kept } = accessKeys.issue(call.body.mode)
      const issued = await insertApplicationKey(trx, kept, call.params.id)
      if (!issued) throw Problem.refusal(APPLICATION_NOT_FOUND)
      return { id: kept.id, accessKey: nonce, prefix: kept.prefix, created: issued.created }
    })
}
