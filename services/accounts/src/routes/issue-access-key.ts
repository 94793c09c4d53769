import type { IssueAccessKey } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { APPLICATION_NOT_FOUND } from '#/domain/refusals.ts'
import { newAccessKey } from '#/new-access-key.ts'
import { insertApplicationKey } from '#/store/access-keys.ts'
import type { Db } from '#/store/tables.ts'

export const issueAccessKey =
  (db: Db): Handler<typeof IssueAccessKey> =>
  async ({ params, body }) => {
    const { accessKey, kept } = newAccessKey(body.mode)
    const issued = await insertApplicationKey(db, kept, params.id)
    if (!issued) throw Problem.refusal(APPLICATION_NOT_FOUND)
    return { id: kept.id, accessKey, prefix: kept.prefix, created: issued.created }
  }
