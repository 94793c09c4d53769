import { IssueAccessKey, type Secret } from '@platter/contracts'
import { hashAccessKey, newApiKey, Problem, type Call, type Handler } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { APPLICATION_NOT_FOUND } from '#/domain/refusals.ts'
import type { IssuedAccessKeys } from '#/issued-access-key.ts'
import { hasApplication, insertApplicationKey } from '#/store/access-keys.ts'
import type { Db } from '#/store/tables.ts'

/** What may be shown of an imported key, which has 16 characters at least. */
const SHOWN_CHARACTERS = 4

export function issueAccessKey(db: Db, accessKeys: IssuedAccessKeys): Handler<typeof IssueAccessKey> {
  // The operator has the imported key: it is answered from the request, and never stored.
  const reveal = (body: string, { body: { key } }: Call<typeof IssueAccessKey>) =>
    key
      ? JSON.stringify({ ...(JSON.parse(body) as object), accessKey: key.reveal() })
      : accessKeys.reveal(body)
  const { execute } = idempotent(db, IssueAccessKey, reveal)
  return (call) =>
    execute(call, async (trx) => {
      const { key, mode } = call.body
      const { nonce, kept } = key ? imported(key) : accessKeys.issue(mode)
      const issued = await insertApplicationKey(trx, kept, call.params.id)
      if (issued) return { id: kept.id, accessKey: nonce, prefix: kept.prefix, created: issued.created }
      if (!(await hasApplication(trx, call.params.id))) throw Problem.refusal(APPLICATION_NOT_FOUND)
      throw new Problem('access-key-taken', 'This access key is stored already.')
    })
}

function imported(key: Secret) {
  const accessKey = key.reveal()
  const prefix = accessKey.slice(0, SHOWN_CHARACTERS)
  return { nonce: '', kept: { id: newApiKey(), hash: hashAccessKey(accessKey), prefix, imported: true } }
}
