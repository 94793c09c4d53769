import type { GetUser } from '@platter/contracts'
import { Problem, type Handler, type Db } from '@platter/kit'
import type { TenantDb } from '#/store/tables.ts'
import type { UserStore } from '#/store/users.ts'

type Deps = { tenantDb: TenantDb; users: (db: Db) => Pick<UserStore, 'find'> }

/** docs/specification.md, "Endpoints". */
export const getUser =
  ({ tenantDb, users }: Deps): Handler<typeof GetUser> =>
  async ({ params, principal: { applicationId } }) => {
    const user = await users(tenantDb(applicationId)).find({ userApiKey: params.apiKey, applicationId })
    if (!user) throw new Problem('user-not-found')
    return user
  }
