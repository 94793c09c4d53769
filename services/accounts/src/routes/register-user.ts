import { RegisterUser, type Fault } from '@platter/contracts'
import { clientAddress, newApiKey, Problem, type Handler, type Db } from '@platter/kit'
import { refuseCommon } from '#/common-passwords.ts'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { Passwords } from '#/password.ts'
import type { CredentialAttempts } from '#/store/credential-attempts.ts'
import type { UserStore } from '#/store/users.ts'

const EMAIL_TAKEN: Fault = {
  pointer: '/email',
  code: 'email-taken',
  detail: 'The e-mail address belongs to a registered user.',
}

type Deps = {
  db: Db
  users: (db: Db) => Pick<UserStore, 'insert'>
  passwords: Passwords
  attempts: CredentialAttempts
}

/** An e-mail address is registered once for all applications, in any case of its letters. */
export function registerUser({ db, users, passwords, attempts }: Deps): Handler<typeof RegisterUser> {
  const { replay, execute } = idempotent(db, RegisterUser)
  return async (call) => {
    const replayed = await replay(call)
    if (replayed) return replayed
    const { password, ...person } = call.body
    refuseCommon(password)
    const { applicationId } = call.principal
    using hashing = passwords.acquirePermit(applicationId)
    await attempts.count({ email: person.email, address: clientAddress(call.headers) })
    const passwordHash = await hashing.hash(password)
    return await execute(call, async (trx) => {
      const user = { apiKey: newApiKey(), ...person }
      const isNew = await users(trx).insert({ ...user, passwordHash }, applicationId)
      if (!isNew) throw Problem.of([EMAIL_TAKEN])
      return { ...user, savedAddresses: [], creditCards: [] }
    })
  }
}
