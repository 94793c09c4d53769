import type { RegisterUser } from '@platter/contracts'
import { newApiKey, Problem, type Handler } from '@platter/kit'
import { EMAIL_TAKEN } from '#/domain/refusals.ts'
import type { PasswordHasher } from '#/password.ts'
import type { Db } from '#/store/tables.ts'
import { insertUser } from '#/store/users.ts'

/** The e-mail is taken however it is written, and whichever application it was registered through. */
export const registerUser =
  (db: Db, hashPassword: PasswordHasher): Handler<typeof RegisterUser> =>
  async ({ body: { password, ...person }, principal }) => {
    const user = { apiKey: newApiKey(), ...person }
    const passwordHash = await hashPassword(password)
    const isNew = await insertUser(db, { ...user, passwordHash }, principal.applicationId)
    if (!isNew) throw Problem.refusal(EMAIL_TAKEN)
    return { ...user, savedAddresses: [], creditCards: [] }
  }
