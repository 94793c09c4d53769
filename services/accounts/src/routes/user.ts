import type { GetUser } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { USER_NOT_FOUND } from '#/domain/refusals.ts'
import type { TenantDb } from '#/store/tables.ts'
import { readUser } from '#/store/users.ts'

/** docs/specification.md, "Endpoints". */
export const getUser =
  (tenantDb: TenantDb): Handler<typeof GetUser> =>
  async ({ params, principal: { applicationId } }) => {
    const user = await readUser(tenantDb(applicationId), { userApiKey: params.apiKey, applicationId })
    if (!user) throw Problem.refusal(USER_NOT_FOUND)
    return user
  }
