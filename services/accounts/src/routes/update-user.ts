import { UpdateUser, type Secret } from '@platter/contracts'
import { Problem, type Handler, type Db } from '@platter/kit'
import { refuseCommon } from '#/common-passwords.ts'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { Passwords } from '#/password.ts'
import type { Owner } from '#/store/tenant-user.ts'
import type { TenantDb } from '#/store/tables.ts'
import type { UserStore } from '#/store/users.ts'

type Deps = {
  tenantDb: TenantDb
  users: (db: Db) => Pick<UserStore, 'isUser' | 'update'>
  passwords: Passwords
}

/** docs/specification.md, "Endpoints". */
export function updateUser({ tenantDb, users, passwords }: Deps): Handler<typeof UpdateUser> {
  const { replay, execute } = idempotent((call) => tenantDb(call.principal.applicationId), UpdateUser)
  /** Checks the user first, because a hash takes 30 ms of a core. */
  async function hashFor(owner: Owner, password: Secret): Promise<string> {
    if (!(await users(tenantDb(owner.applicationId)).isUser(owner))) throw new Problem('user-not-found')
    using hashing = passwords.acquirePermit(owner.applicationId)
    return await hashing.hash(password)
  }
  return async (call) => {
    const replayed = await replay(call)
    if (replayed) return replayed
    const { password, ...person } = call.body
    if (password) refuseCommon(password)
    const { applicationId } = call.principal
    const owner = { userApiKey: call.params.apiKey, applicationId }
    const passwordHash = password && (await hashFor(owner, password))
    return execute(call, async (trx) => {
      const user = await users(trx).update(owner, { ...person, passwordHash })
      if (!user) throw new Problem('user-not-found')
      return user
    })
  }
}
