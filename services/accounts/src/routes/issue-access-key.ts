import { IssueAccessKey, type Secret } from '@platter/contracts'
import { hashAccessKey, newApiKey, Problem, type Call, type Handler, type Db } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { NewKey } from '#/derived-access-keys.ts'
import { insertKey, type IssueDeps } from '#/insert-key.ts'
import type { ApplicationStore } from '#/store/applications.ts'

type Deps = IssueDeps & { applications: (db: Db) => Pick<ApplicationStore, 'exists'> }

/** Characters in the stored prefix of an imported key, which has at least 16 characters. */
const PREFIX_CHARACTERS = 4

export function issueAccessKey({
  db,
  applications,
  accessKeys,
  derivedKeys,
}: Deps): Handler<typeof IssueAccessKey> {
  // The request contains the imported key. The response repeats it, and it is never stored.
  const reveal = (body: string, { body: { key } }: Call<typeof IssueAccessKey>) =>
    key
      ? JSON.stringify({ ...(JSON.parse(body) as object), accessKey: key.reveal() })
      : derivedKeys.reveal(body)
  const { execute } = idempotent(db, IssueAccessKey, reveal)
  return (call) =>
    execute(call, async (trx) => {
      const { id: applicationId } = call.params
      if (!(await applications(trx).exists(applicationId))) throw new Problem('application-not-found')
      const { key, mode } = call.body
      const newKey = key ? imported(key) : derivedKeys.issue(mode)
      return insertKey(accessKeys(trx), newKey, { kind: 'application', applicationId })
    })
}

function imported(key: Secret): NewKey {
  const accessKey = key.reveal()
  const prefix = accessKey.slice(0, PREFIX_CHARACTERS)
  return { nonce: '', stored: { id: newApiKey(), hash: hashAccessKey(accessKey), prefix, imported: true } }
}
