import { IssueOperatorAccessKey } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { insertKey, type IssueDeps } from '#/insert-key.ts'

export function issueOperatorAccessKey({
  db,
  accessKeys,
  derivedKeys,
}: IssueDeps): Handler<typeof IssueOperatorAccessKey> {
  const { execute } = idempotent(db, IssueOperatorAccessKey, derivedKeys.reveal)
  return (call) =>
    execute(call, (trx) =>
      insertKey(accessKeys(trx), derivedKeys.issue(call.body.mode), { kind: 'operator' }),
    )
}
