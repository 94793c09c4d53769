import type { GetUser } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { USER_NOT_FOUND } from '#/domain/refusals.ts'
import type { Db } from '#/store/tables.ts'
import { readUser } from '#/store/users.ts'

/** Specification 4.8. */
export const getUser =
  (db: Db): Handler<typeof GetUser> =>
  async ({ params, principal }) => {
    const user = await readUser(db, { userApiKey: params.apiKey, applicationId: principal.applicationId })
    if (!user) throw Problem.refusal(USER_NOT_FOUND)
    return user
  }
